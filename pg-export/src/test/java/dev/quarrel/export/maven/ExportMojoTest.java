package dev.quarrel.export.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.DatasetCatalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.export.TestPostgres;
import java.io.DataInputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.MojoFailureException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The goal, with the fields that Maven would set.
final class ExportMojoTest {
    @TempDir
    Path folder;

    private ExportMojo mojo(String table) throws Exception {
        List<Artifact> classPath = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .map(ExportMojoTest::artifact)
                .toList();
        ExportMojo mojo = new ExportMojo();
        set(mojo, "url", TestPostgres.url());
        set(mojo, "tables", List.of(table));
        set(mojo, "output", folder.toFile());
        set(mojo, "workers", 2);
        set(mojo, "pluginArtifacts", classPath);
        return mojo;
    }

    /// An artifact that knows its file, which is all that the goal asks.
    private static Artifact artifact(String path) {
        return (Artifact) Proxy.newProxyInstance(
                ExportMojoTest.class.getClassLoader(), new Class<?>[] {Artifact.class}, (_, method, _) -> {
                    if (method.getName().equals("getFile")) {
                        return new File(path);
                    }
                    throw new UnsupportedOperationException(method.toString());
                });
    }

    private static void set(ExportMojo mojo, String name, Object value) throws Exception {
        Field field = ExportMojo.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(mojo, value);
    }

    @Test
    void exportsInAJvmOfItsOwn() throws Exception {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS by_maven", "CREATE TABLE by_maven AS SELECT generate_series(1, 10) a");
        mojo("by_maven").execute();
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            assertThat(snapshot.table("public", "by_maven").stats().rowCount()).isEqualTo(10);
        }
    }

    @Test
    void anErrorFailsTheBuildWithItsReason() throws Exception {
        ExportMojo mojo = mojo("no_such_table");
        assertThatThrownBy(mojo::execute)
                .isInstanceOf(MojoFailureException.class)
                .hasMessageContaining("relation \"no_such_table\" does not exist (42P01)");
    }

    @Test
    void mavenOnJava17CanLoadIt() throws Exception {
        for (String name : List.of("ExportMojo.class", "JavaHome.class")) {
            try (InputStream bytes = ExportMojo.class.getResourceAsStream(name);
                    DataInputStream data = new DataInputStream(bytes)) {
                assertThat(data.readInt()).isEqualTo(0xCAFEBABE);
                data.readUnsignedShort();
                assertThat(data.readUnsignedShort())
                        .as("class file version of %s", name)
                        .isEqualTo(61);
            }
        }
        try (InputStream descriptor = ExportMojo.class.getResourceAsStream("/META-INF/maven/plugin.xml")) {
            assertThat(new String(descriptor.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("<goal>export</goal>", "<goalPrefix>quarrel</goalPrefix>", "${quarrel.url}");
        }
    }
}
