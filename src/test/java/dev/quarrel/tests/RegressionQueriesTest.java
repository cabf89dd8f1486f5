package dev.quarrel.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The queries of PostgreSQL's own regression tests, asked of PostgreSQL and of Quarrel, and counted by what came of
/// them.
///
/// The tests themselves are not here: `-Dquarrel.regress=FOLDER` names `src/test/regress` of PostgreSQL's sources, of
/// the oracle's version. `-Dfiles=join,numeric` runs some files of it (and `test_setup` before them). A report
/// is written to `target/regress`: nothing in it fails the test, since most of what Quarrel lacks is there.
final class RegressionQueriesTest {
    private static final String SETUP = "test_setup";

    // They change the server as a whole, or wait for others.
    private static final Set<String> LEFT_OUT = Set.of(
            "database",
            "tablespace",
            "event_trigger_login",
            "stats_import",
            "infinite_recurse",
            "psql_pipeline",
            "largeobject");

    @Test
    void theReport() throws IOException, SQLException {
        String folder = System.getProperty("quarrel.regress");
        assumeTrue(folder != null, "-Dquarrel.regress names no folder of PostgreSQL's regression tests");
        Path root = Path.of(folder).toAbsolutePath();
        PostgresOracle.shared().run("CREATE DATABASE regression TEMPLATE template0");
        String url = PostgresOracle.shared().url().replace("/postgres?", "/regression?");
        Path target = Path.of("target", "regress");
        Files.createDirectories(target);
        RegressionReport report = new RegressionReport();
        for (String file : files(root)) {
            long begun = System.nanoTime();
            new RegressionFile(root, file, url, report).run();
            System.out.printf("%s: %.1f s%n", file, (System.nanoTime() - begun) / 1e9);
            Files.writeString(target.resolve("cases.txt"), report.cases());
            Files.writeString(target.resolve("summary.txt"), report.summary());
        }
        System.out.println(report.summary());
    }

    private static List<String> files(Path root) throws IOException {
        String wanted = System.getProperty("files", "");
        List<String> files = new ArrayList<>();
        try (Stream<String> lines = Files.lines(root.resolve("parallel_schedule"))) {
            lines.filter(line -> line.startsWith("test:"))
                    .flatMap(line -> Stream.of(line.substring(5).strip().split("\\s+")))
                    .filter(file -> !LEFT_OUT.contains(file))
                    .forEach(files::add);
        }
        if (!wanted.isEmpty()) {
            List<String> some = List.of(wanted.split(","));
            files.removeIf(file -> !file.equals(SETUP) && !some.contains(file));
        }
        return files;
    }
}
