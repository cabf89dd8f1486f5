package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `quarrel sql` over a small dataset.
final class SqlCommandTest {
    @TempDir
    private static Path folder;

    private static Path data;

    @BeforeAll
    static void makeData() {
        data = folder.resolve("ssb");
        CommandRun made = CommandRun.of("ssb", "--sf", "0.01", "-o", data.toString());
        assertThat(made.exitCode()).as(made.err()).isZero();
    }

    private static CommandRun sql(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "sql";
        all[1] = "--data";
        all[2] = data.toString();
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return CommandRun.of(all);
    }

    @Test
    void tablesAreWrittenAsPsqlWritesThem() {
        assertThat(sql(
                        "-c",
                        "select d_year, count(*) as days from date where d_year < 1994 group by d_year order by 1"))
                .isEqualTo(new CommandRun(0, """
                 d_year | days\s
                --------+------
                   1992 |  366
                   1993 |  365
                (2 rows)

                """, ""));
    }

    @Test
    void csvAndJsonHoldDataOnly() {
        String query = "select s_suppkey, s_name from supplier where s_suppkey <= 2 order by 1";
        assertThat(sql("-c", query, "--format", "csv").out())
                .isEqualTo("s_suppkey,s_name\n1,Supplier#000000001\n2,Supplier#000000002\n");
        assertThat(sql("-c", query, "--format", "json").out()).isEqualTo("""
                        [
                        {"s_suppkey": 1, "s_name": "Supplier#000000001"},
                        {"s_suppkey": 2, "s_name": "Supplier#000000002"}
                        ]
                        """);
    }

    @Test
    void statementsComeFromStdinTooAndSeveralAtOnce() {
        CommandRun outcome = CommandRun.withInput(
                "select count(*) from date;\nselect min(d_year) from date;\n",
                "sql",
                "--data",
                data.toString(),
                "--format",
                "csv");
        assertThat(outcome).isEqualTo(new CommandRun(0, "count\n2556\nmin\n1992\n", ""));
    }

    @Test
    void errorsGoToStderrWithCodeAndCaret() {
        CommandRun outcome = sql("-c", "select 1 as one;\nselect * from nowhere", "--format", "csv");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEqualTo("one\n1\n");
        assertThat(outcome.err()).isEqualTo("""
                        ERROR:  42P01: relation "nowhere" does not exist
                        LINE 2: select * from nowhere
                                              ^
                        """);
    }

    @Test
    void dateTableCanHaveAnotherName() {
        Path root = folder.resolve("dates");
        assertThat(CommandRun.of("ssb", "--sf", "0.001", "--date-table", "dates", "-o", root.toString())
                        .exitCode())
                .isZero();
        assertThat(CommandRun.of(
                                "sql", "--data", root.toString(), "--format", "csv", "-c", "select count(*) from dates")
                        .out())
                .isEqualTo("count\n2556\n");
    }
}
