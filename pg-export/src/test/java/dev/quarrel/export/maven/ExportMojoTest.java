package dev.quarrel.export.maven;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.export.TestPostgres;
import java.io.DataInputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

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

    private static void set(Object target, String name, Object value) throws Exception {
        Field field = target.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(target, value);
    }

    private static Join join(String query, String form, String sql) throws Exception {
        Join join = new Join();
        set(join, "query", query);
        set(join, form, sql);
        return join;
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
    void queriesHaveKeysAndJoins() throws Exception {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS in_parts, tagged",
                "CREATE TABLE in_parts AS SELECT g AS id, g % 4 AS k FROM generate_series(1, 40) g",
                "CREATE TABLE tagged AS SELECT g AS of, 'tag ' || g AS tag FROM generate_series(1, 10) g");
        ExportMojo mojo = mojo("in_parts");
        set(
                mojo,
                "queries",
                Map.of("odd.q", "SELECT id, k FROM in_parts WHERE k = $(PARALLEL_KEY)", "r", "SELECT 1 AS a"));
        set(mojo, "keys", Map.of("odd.q", "1, 3"));
        set(
                mojo,
                "joins",
                List.of(
                        join("odd.q", "outer", "SELECT tag FROM tagged WHERE of = $(id)"),
                        join("r", "inner", "SELECT $(a) + 1 AS b"),
                        join("odd.q", "inner", "SELECT coalesce($(tag), 'none') || $(k) AS told WHERE $(id) <> 39")));
        File events = folder.resolve("log").resolve("events.json").toFile();
        set(mojo, "json", events);
        mojo.execute();
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Table joined = snapshot.table("public", "odd.q");
            assertThat(joined.schema().fields().stream().map(dev.quarrel.core.type.Field::name))
                    .containsExactly("id", "k", "tag", "told");
            assertThat(joined.stats().rowCount()).isEqualTo(19);
            assertThat(snapshot.table("public", "r").schema().size()).isEqualTo(2);
        }
        assertThat(Files.readAllLines(events.toPath()))
                .first(as(InstanceOfAssertFactories.STRING))
                .startsWith("{\"event\":\"begin\"");
        assertThat(Files.readAllLines(events.toPath()))
                .anyMatch(line -> line.startsWith("{\"event\":\"table_end\",\"table\":\"public.odd.q\",\"rows\":19"))
                .last(as(InstanceOfAssertFactories.STRING))
                .startsWith("{\"event\":\"end\"");
    }

    @Test
    void keysAndJoinsThatBelongToNoQueryAreRefused() throws Exception {
        ExportMojo mojo = mojo("by_maven");
        set(mojo, "queries", Map.of("q", "SELECT 1 AS a", "r", "SELECT 2 AS b"));
        set(mojo, "keys", Map.of("other", "1,2"));
        assertRefused(mojo, "there are keys or joins of the query other, and no such query");
        set(mojo, "keys", Map.of("q", "1,2"));
        assertRefused(mojo, "each of the keys would export all rows");
        set(mojo, "keys", Map.of());
        set(mojo, "joins", List.of(join(null, "inner", "SELECT 3")));
        assertRefused(mojo, "a join has the name of one of the queries");
        set(mojo, "joins", List.of(join("q", "query", "q")));
        assertRefused(mojo, "a join has a SELECT as inner or as outer");
    }

    private static void assertRefused(ExportMojo mojo, String reason) {
        assertThatThrownBy(mojo::execute)
                .isInstanceOfAny(MojoExecutionException.class, MojoFailureException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void everyParameterIsDescribed() throws Exception {
        try (InputStream descriptor = ExportMojo.class.getResourceAsStream("/META-INF/maven/plugin.xml")) {
            NodeList parameters = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(descriptor)
                    .getElementsByTagName("parameter");
            assertThat(parameters.getLength()).isGreaterThan(30);
            for (int index = 0; index < parameters.getLength(); index++) {
                Element parameter = (Element) parameters.item(index);
                boolean isSet = text(parameter, "editable").equals("true");
                assertThat(isSet && text(parameter, "description").isBlank())
                        .as(text(parameter, "name"))
                        .isFalse();
            }
        }
    }

    private static String text(Element parameter, String name) {
        NodeList found = parameter.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent();
    }

    @Test
    void mavenOnJava17CanLoadIt() throws Exception {
        for (String name : List.of("ExportMojo.class", "JavaHome.class", "Join.class")) {
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
