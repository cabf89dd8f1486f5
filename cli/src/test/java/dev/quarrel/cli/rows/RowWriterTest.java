package dev.quarrel.cli.rows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The formats against what psql 15 and PostgreSQL 15 print for the same rows.
final class RowWriterTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void free() {
        arena.close();
    }

    private static ResultColumn column(String name, PgType type) {
        return new ResultColumn(name, type, -1);
    }

    private Batch batch(List<ResultColumn> columns, Object[]... rows) {
        List<ColumnWriter> writers = columns.stream()
                .map(column -> new ColumnWriter(column.type().dataType(), Allocator.of(arena)))
                .toList();
        for (Object[] row : rows) {
            for (int index = 0; index < row.length; index++) {
                ColumnWriter writer = writers.get(index);
                switch (row[index]) {
                    case null -> writer.appendNull();
                    case Integer value -> writer.appendInt32(value);
                    case Double value -> writer.appendFloat64(value);
                    case Boolean value -> writer.appendBool(value);
                    default -> writer.appendUtf8((String) row[index]);
                }
            }
        }
        Schema schema = new Schema(columns.stream()
                .map(column -> new Field(column.name(), column.type().dataType(), true))
                .toList());
        return Batch.view(schema, ColumnWriter.finishAll(writers), rows.length);
    }

    private static Object[] row(Object... cells) {
        return cells;
    }

    private String table(List<ResultColumn> columns, Object[]... rows) throws IOException {
        StringBuilder text = new StringBuilder();
        TableWriter writer = new TableWriter(text);
        writer.begin(columns);
        if (rows.length > 0) {
            writer.write(batch(columns, rows));
        }
        writer.end(rows.length);
        return text.toString();
    }

    @Test
    void tablesAreAlignedAsPsqlAlignsThem() throws IOException {
        List<ResultColumn> columns = List.of(
                column("n", PgType.INT4),
                column("t", PgType.TEXT),
                column("z", PgType.TEXT),
                column("wide", PgType.TEXT),
                column("num", PgType.FLOAT8),
                column("b", PgType.BOOL));
        assertThat(table(columns, row(10, "one\ntwo", null, "日本", 1.5, true), row(2, "a", null, "abc", 100.25, false)))
                .isEqualTo("""
                 n  |  t  | z | wide |  num   | b\s
                ----+-----+---+------+--------+---
                 10 | one+|   | 日本 |    1.5 | t
                    | two |   |      |        |\s
                  2 | a   |   | abc  | 100.25 | f
                (2 rows)

                """);
    }

    @Test
    void lastColumnsAreNotPadded() throws IOException {
        assertThat(table(List.of(column("a", PgType.INT4), column("bcd", PgType.TEXT)), row(1, "x")))
                .isEqualTo("""
                 a | bcd\s
                ---+-----
                 1 | x
                (1 row)

                """);
        assertThat(table(List.of(column("last", PgType.TEXT)), row("l1\nl2"))).isEqualTo("""
                 last\s
                ------
                 l1  +
                 l2
                (1 row)

                """);
    }

    @Test
    void noRowsAreATable() throws IOException {
        assertThat(table(List.of(column("?column?", PgType.INT4)))).isEqualTo("""
                 ?column?\s
                ----------
                (0 rows)

                """);
    }

    @Test
    void csvIsCopysCsv() throws IOException {
        List<ResultColumn> columns = List.of(
                column("x", PgType.TEXT),
                column("e", PgType.TEXT),
                column("n", PgType.TEXT),
                column("q", PgType.TEXT),
                column("i", PgType.INT4));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CopyWriter writer = new CopyWriter(bytes, CopyOptions.CSV_WITH_HEADER);
        writer.begin(columns);
        writer.write(batch(columns, row("a,b", "", null, "q\"q", 7), row("two\nlines", "é", null, " ", -1)));
        writer.end(2);
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo("x,e,n,q,i\n\"a,b\",\"\",,\"q\"\"q\",7\n\"two\nlines\",é,, ,-1\n");
    }

    @Test
    void jsonKeepsNumbersAndEscapes() throws IOException {
        List<ResultColumn> columns = List.of(
                column("i", PgType.INT4),
                column("f", PgType.FLOAT8),
                column("b", PgType.BOOL),
                column("t\"", PgType.TEXT));
        StringBuilder text = new StringBuilder();
        JsonWriter writer = new JsonWriter(text);
        writer.begin(columns);
        writer.write(batch(
                columns,
                row(1, 0.5, true, "a\\b\u0001"),
                row(null, Double.NaN, null, null),
                row(-3, 1e300, false, "")));
        writer.end(3);
        assertThat(text).hasToString("""
                [
                {"i": 1, "f": 0.5, "b": true, "t\\"": "a\\\\b\\u0001"},
                {"i": null, "f": "NaN", "b": null, "t\\"": null},
                {"i": -3, "f": 1e+300, "b": false, "t\\"": ""}
                ]
                """);
    }

    @Test
    void widthsComeFromTheFirstRowsAndLaterOnesStillCome() throws IOException {
        List<ResultColumn> columns = List.of(column("t", PgType.TEXT), column("u", PgType.TEXT));
        StringBuilder text = new StringBuilder();
        TableWriter writer = new TableWriter(text);
        writer.begin(columns);
        for (int count = 0; count < 50_000; count += 10_000) {
            Object[][] rows = new Object[10_000][];
            for (int row = 0; row < rows.length; row++) {
                rows[row] = row("a", "b");
            }
            writer.write(batch(columns, rows));
        }
        writer.write(batch(columns, new Object[][] {row("longer", "b")}));
        writer.end(50_001);
        assertThat(text.toString()).contains("\n longer | b\n(50001 rows)\n").startsWith(" t | u \n---+---\n a | b\n");
    }
}
