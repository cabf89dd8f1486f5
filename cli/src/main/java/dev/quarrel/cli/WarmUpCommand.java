package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// `quarrel warm-up`: short commands as users give them, then what `serve` does in the background at its start, and
/// nothing else. The script `quarrel` runs it once after a build, for the JVM to keep the classes it loads and what it
/// learns of them: a class that no command here has loaded is read from the JAR by each process that needs it.
@Command(
        name = "warm-up",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Plans and runs small statements over data of its own, and ends.")
final class WarmUpCommand implements Callable<Integer> {
    private static final String ROWS = "name,value,at\none,1.5,2024-01-02 03:04:05\ntwo,,2024-02-03\n";

    private static final List<String> STATEMENTS = List.of(
            "select 1",
            "select count(*), sum(value), min(at) from sample where at > timestamp '2024-01-01' and name <> 'three'",
            "select name, count(*) as n, avg(value) from sample group by name order by n desc, 1 limit 5",
            "select a.*, b.value from sample a left join sample b on a.name = b.name order by 1",
            "select table_name from information_schema.tables where table_schema = 'public'",
            "explain analyze select * from sample where value is not null");

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (TemporaryFolder folder = new TemporaryFolder("quarrel-warm-up")) {
            int failed = runCommands(folder.path());
            if (failed != 0) {
                return failed;
            }
            Path empty = Files.createDirectory(folder.path().resolve("empty"));
            try (Engine engine = EngineOptions.open(empty, EngineOptions.defaults(List.of()))) {
                engine.warmUp();
                engine.awaitWarmUp();
            }
            return 0;
        }
    }

    /// The exit code of the first that failed, or 0.
    private static int runCommands(Path folder) throws IOException {
        String file = Files.writeString(folder.resolve("sample.csv"), ROWS).toString();
        String data = folder.resolve("data").toString();
        int failed = Main.run("import", file, "-o", data, "--name", "sample");
        for (String format : List.of("table", "csv", "json")) {
            List<String> arguments = new ArrayList<>(List.of("sql", "--data", data, "--format", format));
            STATEMENTS.forEach(sql -> arguments.addAll(List.of("-c", sql)));
            failed = failed == 0 ? Main.run(arguments.toArray(String[]::new)) : failed;
        }
        return failed == 0 ? Main.run("inspect", data) : failed;
    }
}
