package dev.quarrel.cli;

import static dev.quarrel.cli.imports.HandmadeParquet.Field.group;
import static dev.quarrel.cli.imports.HandmadeParquet.Field.number;
import static dev.quarrel.cli.imports.HandmadeParquet.Field.text;
import static dev.quarrel.cli.imports.HandmadeParquet.LIST;
import static dev.quarrel.cli.imports.HandmadeParquet.MAP;
import static dev.quarrel.cli.imports.HandmadeParquet.NO_ANNOTATION;
import static dev.quarrel.cli.imports.HandmadeParquet.OPTIONAL;
import static dev.quarrel.cli.imports.HandmadeParquet.REPEATED;
import static dev.quarrel.cli.imports.HandmadeParquet.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.cli.imports.HandmadeParquet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables of imported lists, structs and maps, and the rows that come after.
final class NestedAppendTest {
    private static final HandmadeParquet.Field ID = number("id", OPTIONAL);
    private static final HandmadeParquet.Field NUMBERS =
            group("l", OPTIONAL, LIST, group("list", REPEATED, NO_ANNOTATION, number("element", OPTIONAL)));
    private static final HandmadeParquet.Field STRUCT =
            group("s", OPTIONAL, NO_ANNOTATION, number("a", OPTIONAL), text("b", OPTIONAL));
    private static final HandmadeParquet.Field PAIRS = group(
            "m",
            OPTIONAL,
            MAP,
            group("key_value", REPEATED, NO_ANNOTATION, text("key", REQUIRED), number("value", OPTIONAL)));

    @TempDir
    private Path folder;

    private static HandmadeParquet.Group row(Object... members) {
        return new HandmadeParquet.Group(members);
    }

    private static HandmadeParquet.Group numbers(Object... elements) {
        List<HandmadeParquet.Group> rows = new ArrayList<>();
        for (Object element : elements) {
            rows.add(row(element));
        }
        return row(rows);
    }

    private String root() {
        return folder.resolve("root").toString();
    }

    private CommandRun imported(String name, List<HandmadeParquet.Field> fields, HandmadeParquet.Group... rows)
            throws IOException {
        Path file = folder.resolve(name + ".parquet");
        HandmadeParquet.write(file, fields, List.of(List.of(rows)));
        return CommandRun.of("import", file.toString(), "-o", root(), "--name", "t", "--append");
    }

    private void importOneRow() throws IOException {
        CommandRun outcome =
                imported("first", List.of(ID, NUMBERS, STRUCT, PAIRS), row(1, numbers(1), row(1, "x"), row(List.of())));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    }

    private CommandRun run(String text) {
        return CommandRun.of("sql", "--data", root(), "--writable", "--format", "csv", "-c", text);
    }

    private String sql(String text) {
        CommandRun outcome = run(text);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        return outcome.out();
    }

    private void assertRefused(CommandRun outcome, String... messages) {
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains(messages);
    }

    @Test
    void filesMayLackColumnsAndHaveThemInAnotherOrder() throws IOException {
        assertThat(imported(
                                "first",
                                List.of(ID, NUMBERS, STRUCT),
                                row(1, numbers(1, null), row(1, "x")),
                                row(2, numbers(), null))
                        .exitCode())
                .isZero();
        assertThat(imported("fewer", List.of(ID, STRUCT), row(3, row(3, null))).exitCode())
                .isZero();
        assertThat(imported(
                                "other",
                                List.of(STRUCT, PAIRS, NUMBERS, ID),
                                row(row(4, "y"), row(List.of(row("k", 1), row("n", null))), numbers(4), 4))
                        .exitCode())
                .isZero();
        assertThat(sql("select * from t order by id"))
                .isEqualTo("id,l,s,m\n1,\"{1,NULL}\",\"(1,x)\",\n2,{},,\n3,,\"(3,)\",\n"
                        + "4,{4},\"(4,y)\",\"{\"\"(k,1)\"\",\"\"(n,)\"\"}\"\n");
        assertThat(sql("select id, (s).a, l[1], cardinality(l), (m[1]).key from t order by id"))
                .isEqualTo("id,a,l,cardinality,key\n1,1,1,2,\n2,,,0,\n3,3,,,\n4,4,4,1,k\n");
        assertThat(sql("select id, key, value from t, unnest(m) order by key"))
                .isEqualTo("id,key,value\n4,k,1\n4,n,\n");
        assertThat(sql("select id, u from t left join unnest(l) u on true order by id, u"))
                .isEqualTo("id,u\n1,1\n1,\n2,\n3,\n4,4\n");
        assertThat(CommandRun.of("inspect", root(), "--verify").exitCode()).isZero();
    }

    @Test
    void structsMayHaveMoreMembersAndFewer() throws IOException {
        importOneRow();
        HandmadeParquet.Field fewer = group("s", OPTIONAL, NO_ANNOTATION, number("a", OPTIONAL));
        assertThat(imported("fewer", List.of(ID, fewer), row(2, row(2))).exitCode())
                .isZero();
        HandmadeParquet.Field more = group("s", OPTIONAL, NO_ANNOTATION, text("c", OPTIONAL), number("a", OPTIONAL));
        assertThat(imported("more", List.of(ID, more), row(3, row("z", 3))).exitCode())
                .isZero();
        assertThat(sql("select id, s, (s).a, (s).b, (s).c from t order by id"))
                .isEqualTo("id,s,a,b,c\n1,\"(1,x,)\",1,x,\n2,\"(2,,)\",2,,\n3,\"(3,,z)\",3,,z\n");
    }

    @Test
    void otherListsAndStructsAreRefused() throws IOException {
        importOneRow();
        HandmadeParquet.Field texts =
                group("l", OPTIONAL, LIST, group("list", REPEATED, NO_ANNOTATION, text("element", OPTIONAL)));
        assertRefused(imported("texts", List.of(texts), row(numbers("x"))), "42804", "column \"l\" of table \"t\"");
        HandmadeParquet.Field other = group("s", OPTIONAL, NO_ANNOTATION, text("a", OPTIONAL));
        assertRefused(imported("other", List.of(other), row(row("1"))), "42804", "column \"s\" of table \"t\"");
        assertRefused(
                imported("text", List.of(text("s", OPTIONAL)), row("(1,x)")), "42804", "column \"s\" of table \"t\"");
        assertRefused(
                imported(
                        "list",
                        List.of(group(
                                "m",
                                OPTIONAL,
                                LIST,
                                group("list", REPEATED, NO_ANNOTATION, text("element", OPTIONAL)))),
                        row(numbers("x"))),
                "42804",
                "column \"m\" of table \"t\"");
        assertThat(sql("select count(*) from t")).isEqualTo("count\n1\n");
    }

    @Test
    void statementsAddRowsToAllButStructs() throws IOException {
        importOneRow();
        assertRefused(
                run("insert into t values (2, '{2}', '(2,y)')"),
                "0A000",
                "column \"s\" of relation \"t\" holds structs",
                "List the other columns");
        assertRefused(run("insert into t (id, m) select 2, '{}'"), "0A000", "column \"m\" of relation \"t\"");
        assertThat(run("insert into t values (2, '{2,3}')").exitCode()).isZero();
        assertThat(sql("select id, (s).a, l, l[1], u from t left join unnest(l) u on true order by id, u"))
                .isEqualTo("id,a,l,l,u\n1,1,{1},1,1\n2,,\"{2,3}\",2,2\n2,,\"{2,3}\",2,3\n");
        assertThat(sql("select count(*) from t left join unnest(m) on true")).isEqualTo("count\n2\n");
    }
}
