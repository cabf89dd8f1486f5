package dev.quarrel.export.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.export.ExportMain;
import dev.quarrel.export.TestPostgres;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The goal as Maven runs it: from an empty folder and from a POM, on JDK 17 and 25.
///
/// The module is put into a repository under `target/`; what it needs comes from the user's, which is only
/// read, or from where his settings say.
final class MavenGoalTest {
    private static final String GROUP = "dev.quarrel";
    private static final long PATIENCE_MINUTES = 5;

    @TempDir
    private static Path folder;

    private static Path repository;
    private static Path settings;
    private static String version;

    @BeforeAll
    static void installed() throws Exception {
        assumeTrue(program("mvn") != null, "there is no mvn in PATH");
        TestPostgres.execute(
                "DROP TABLE IF EXISTS by_goal", "CREATE TABLE by_goal AS SELECT generate_series(1, 1000) AS id");
        Matcher found = Pattern.compile("<version>([^<]+)</version>").matcher(Files.readString(Path.of("../pom.xml")));
        assertThat(found.find()).isTrue();
        version = found.group(1);
        repository = Path.of("target", "goal-repository").toAbsolutePath();
        settings = folder.resolve("settings.xml");
        Path users =
                Path.of(System.getProperty("maven.repo.local", System.getProperty("user.home") + "/.m2/repository"));
        String place = "<id>user</id><url>" + users.toUri() + "</url><snapshots><enabled>false</enabled></snapshots>";
        Files.writeString(
                settings,
                "<settings><profiles><profile><id>user</id><repositories><repository>" + place
                        + "</repository></repositories><pluginRepositories><pluginRepository>" + place
                        + "</pluginRepository></pluginRepositories></profile></profiles>"
                        + "<activeProfiles><activeProfile>user</activeProfile></activeProfiles></settings>");
        install("quarrel", Path.of("../pom.xml"), null);
        install("quarrel-core", Path.of("../core/pom.xml"), Manifest.class);
        install("quarrel-pg-export", Path.of("pom.xml"), ExportMain.class);
    }

    private static Path program(String name) {
        for (String part : System.getenv("PATH").split(File.pathSeparator)) {
            Path file = Path.of(part, name);
            if (Files.isExecutable(file)) {
                return file;
            }
        }
        return null;
    }

    private static void install(String artifact, Path pom, Class<?> member) throws Exception {
        Path target =
                repository.resolve(GROUP.replace('.', '/')).resolve(artifact).resolve(version);
        Files.createDirectories(target);
        Files.writeString(target.resolve(artifact + "-" + version + ".pom"), Files.readString(pom));
        if (member == null) {
            return;
        }
        Path classes = Path.of(
                member.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path jar = target.resolve(artifact + "-" + version + ".jar");
        if (Files.isRegularFile(classes)) {
            Files.write(jar, Files.readAllBytes(classes));
            return;
        }
        try (OutputStream output = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(output);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                entries.putNextEntry(
                        new ZipEntry(classes.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, entries);
                entries.closeEntry();
            }
        }
    }

    /// The home of a JDK of that version; null where there is none.
    private static Path jdk(int feature) throws IOException {
        List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
        Path installed = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(installed)) {
            try (Stream<Path> folders = Files.list(installed)) {
                homes.addAll(folders.toList());
            }
        }
        for (Path home : homes) {
            Path release = home.resolve("release");
            if (Files.isReadable(release) && Files.isExecutable(home.resolve("bin/javac"))) {
                Properties properties = new Properties();
                try (InputStream input = Files.newInputStream(release)) {
                    properties.load(input);
                }
                if (properties.getProperty("JAVA_VERSION", "").startsWith("\"" + feature + ".")) {
                    return home;
                }
            }
        }
        return null;
    }

    private record Run(int exitCode, String output) {}

    private static Run maven(Path where, Path javaHome, String... arguments) throws Exception {
        Process process = started(where, javaHome, arguments);
        assertThat(process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)).isTrue();
        return new Run(process.exitValue(), output());
    }

    private static String output() throws IOException {
        return Files.readString(folder.resolve("maven.log"), StandardCharsets.UTF_8);
    }

    private static Process started(Path where, Path javaHome, String... arguments) throws IOException {
        // The user's own settings may name the mirror that he must use.
        boolean hasSettings = Files.exists(Path.of(System.getProperty("user.home"), ".m2", "settings.xml"));
        String option = hasSettings ? "-gs" : "-s";
        List<String> command = new ArrayList<>(List.of(
                program("mvn").toString(),
                "-B",
                "-ntp",
                "-s",
                settings.toString(),
                "-Dmaven.repo.local=" + repository));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(where.toFile());
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().remove("MAVEN_OPTS");
        return builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("maven.log").toFile())
                .start();
    }

    /// A build that is stopped, or killed, leaves no export behind that goes on.
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "KILL"})
    void theExportEndsWithTheBuild(String signal) throws Exception {
        Path empty = Files.createDirectories(folder.resolve("stopped-" + signal));
        try (Connection blocker = TestPostgres.connect();
                Statement statement = blocker.createStatement()) {
            statement.execute("BEGIN; LOCK TABLE by_goal IN ACCESS EXCLUSIVE MODE");
            Process process = started(
                    empty,
                    jdk(25),
                    GROUP + ":quarrel-pg-export:" + version + ":export",
                    "-Dquarrel.url=" + TestPostgres.url(),
                    "-Dquarrel.tables=by_goal");
            awaitExports(statement, true);
            List<ProcessHandle> exports = process.descendants().toList();
            assertThat(exports).isNotEmpty();
            assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                            .start()
                            .waitFor())
                    .isZero();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isNotZero();
            for (ProcessHandle export : exports) {
                export.onExit().get(1, TimeUnit.MINUTES);
            }
            if (signal.equals("TERM")) { // else the server looks for its client when it has the lock
                awaitExports(statement, false);
            }
            statement.execute("ROLLBACK");
        }
        assertThat(empty.resolve("target/quarrel")).doesNotExist();
    }

    /// Waits until an export waits for a lock, or until none has a connection.
    private static void awaitExports(Statement statement, boolean areThere) throws Exception {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(PATIENCE_MINUTES);
        while (System.nanoTime() < end) {
            try (ResultSet rows = statement.executeQuery("SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'),"
                    + " count(*) FROM pg_stat_get_activity(NULL) WHERE application_name = 'quarrel-export'")) {
                rows.next();
                if (areThere ? rows.getInt(1) > 0 : rows.getInt(2) == 0) {
                    return;
                }
            }
            statement.execute("SELECT pg_stat_clear_snapshot()");
            Thread.sleep(100);
        }
        throw new AssertionError((areThere ? "no export waits: " : "an export goes on: ") + output());
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void fromAnEmptyFolder(int feature) throws Exception {
        Path home = jdk(feature);
        assumeTrue(home != null, "there is no JDK " + feature);
        Path empty = Files.createDirectories(folder.resolve("empty-" + feature));
        Run run = maven(
                empty,
                home,
                GROUP + ":quarrel-pg-export:" + version + ":export",
                "-Dquarrel.url=" + TestPostgres.url(),
                "-Dquarrel.tables=by_g*,by_goal");
        System.out.println(run.output());
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("public.by_goal: 1,000 rows, 1 batches", "BUILD SUCCESS");
        Manifest manifest = Manifest.read(empty.resolve("target/quarrel"));
        assertThat(manifest.tables().getFirst().files().getFirst().rows()).isEqualTo(1000);
    }

    /// A POM that exports into `data` beside it.
    private static String pom(String url, String configuration) {
        return """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>example</groupId>
                  <artifactId>nightly</artifactId>
                  <version>1</version>
                  <packaging>pom</packaging>
                  <build><plugins><plugin>
                    <groupId>dev.quarrel</groupId>
                    <artifactId>quarrel-pg-export</artifactId>
                    <version>%s</version>
                    <executions><execution>
                      <phase>generate-resources</phase>
                      <goals><goal>export</goal></goals>
                      <configuration>
                        <url>%s</url>
                        <output>${project.basedir}/data</output>
                        %s
                      </configuration>
                    </execution></executions>
                  </plugin></plugins></build>
                </project>
                """.formatted(version, url, configuration);
    }

    @Test
    void queriesInAPomHaveKeysAndJoins() throws Exception {
        Path project = Files.createDirectories(folder.resolve("queries"));
        Files.writeString(project.resolve("pom.xml"), pom(TestPostgres.url(), """
                <queries>
                  <parts>SELECT id FROM by_goal WHERE id % 10 = $(PARALLEL_KEY)</parts>
                  <all_ids>SELECT id FROM by_goal WHERE id % $(N_WORKERS) = $(WORKER_ID)</all_ids>
                </queries>
                <keys><parts>3, 7</parts></keys>
                <joins>
                  <join><query>parts</query><outer>SELECT b.id AS twice FROM by_goal b WHERE b.id = 2 * $(id)</outer></join>
                  <join><query>parts</query><inner>SELECT $(id) + coalesce($(twice), 0) AS sum</inner></join>
                </joins>
                <json>events.json</json>
                """));
        Run run = maven(project, jdk(25), "generate-resources");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("public.parts: 200 rows", "public.all_ids: 1,000 rows");
        assertThat(Files.readAllLines(project.resolve("events.json")).getLast()).contains("\"rows\":1200");
    }

    @Test
    void boundInAPom() throws Exception {
        Path project = Files.createDirectories(folder.resolve("project"));
        String wanted = """
                <tables><table>by_goal</table>%s</tables>
                <queries><ids>SELECT id FROM by_goal WHERE id &lt; 11</ids></queries>
                <splitBy><column>by_goal.id</column></splitBy>
                <workers>2</workers>
                """;
        Files.writeString(project.resolve("pom.xml"), pom(TestPostgres.url(), wanted.formatted("")));
        Run run = maven(project, jdk(25), "generate-resources");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(Manifest.read(project.resolve("data")).tables().stream().map(Manifest.TableEntry::name))
                .containsExactlyInAnyOrder("by_goal", "ids");

        Files.writeString(
                project.resolve("pom.xml"), pom(TestPostgres.url(), wanted.formatted("<table>no_such</table>")));
        Run failed = maven(project, jdk(25), "generate-resources");
        assertThat(failed.exitCode()).isNotZero();
        assertThat(failed.output())
                .contains("the export failed: error: relation \"no_such\" does not exist (42P01)", "BUILD FAILURE");
        Files.writeString(project.resolve("pom.xml"), pom("nonsense://x", wanted.formatted("")));
        Run notBegun = maven(project, jdk(25), "generate-resources");
        assertThat(notBegun.exitCode()).isNotZero();
        assertThat(notBegun.output()).contains("the export was not begun: error: invalid connection string");
    }
}
