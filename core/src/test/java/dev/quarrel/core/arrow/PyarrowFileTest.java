package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.Field;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Two small files that pyarrow 26 wrote, with what arrow-java cannot write: LZ4 blocks that refer to earlier ones, and
/// a dictionary in a compressed file.
class PyarrowFileTest {
    @TempDir
    private Path folder;

    private Path resource(String name) throws IOException {
        Path path = folder.resolve(name);
        try (InputStream input = PyarrowFileTest.class.getResourceAsStream(name)) {
            Files.copy(input, path);
        }
        return path;
    }

    @Test
    void readsLinkedLz4Blocks() throws IOException {
        try (ArrowFile file = ArrowFile.open(resource("lz4-linked.arrow"));
                ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
            List<List<Object>> rows = RandomBatch.rows(table);
            assertThat(rows).hasSize(6_000);
            for (int row = 0; row < rows.size(); row++) {
                assertThat(rows.get(row))
                        .containsExactly(
                                row % 97 == 0 ? null : (Object) (row / 100L),
                                row % 89 == 0 ? null : "value " + row % 50 + " of a text",
                                "entry " + row % 7);
            }
            assertThat(table.dictionary(2).size()).isEqualTo(7);
            assertThat(table.readBytes(0, new int[] {0})).isBetween(6_000 * 8L, 6_000 * 9L);
        }
    }

    @Test
    void readsViewsAndLargeText() throws IOException {
        try (ArrowFile file = ArrowFile.open(resource("views.arrow"));
                ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
            List<List<Object>> rows = RandomBatch.rows(table);
            assertThat(rows).hasSize(300);
            for (int row = 0; row < rows.size(); row++) {
                String text = row % 2 == 1 ? "short" + row : "a text that is longer than twelve " + row;
                assertThat(rows.get(row))
                        .containsExactly(row % 11 == 0 ? null : text, row % 7 == 0 ? null : "x".repeat(row % 30));
            }
        }
    }

    /// Whatever pyarrow writes: see `every_type.py` of the end-to-end tests, whose nightly run writes it anew.
    @ParameterizedTest
    @ValueSource(strings = {"every-type.arrow", "every-type.arrows", "every-type-zstd.arrow"})
    void readsEveryType(String name) throws IOException {
        List<String> expected = Files.readAllLines(resource("every-type.txt"));
        try (ArrowFile file = ArrowFile.open(resource(name));
                ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
            int[] columns = IntStream.range(0, table.shownSchema().size()).toArray();
            List<String> lines = new ArrayList<>();
            lines.add(table.shownSchema().fields().stream().map(Field::name).collect(Collectors.joining("\t")));
            for (int batch = 0; batch < table.batchCount(); batch++) {
                try (Batch read = table.read(batch, columns)) {
                    for (int row = 0; row < read.rowCount(); row++) {
                        lines.add(line(read, row));
                    }
                }
            }
            assertThat(lines).isEqualTo(expected);
        }
    }

    private static String line(Batch batch, int row) {
        List<String> cells = new ArrayList<>();
        for (Column column : batch.columns()) {
            TextBuffer text = new TextBuffer();
            boolean isPresent = column.validity().isPresent(row)
                    && !(column instanceof DictionaryColumn coded
                            && !coded.dictionary().values().validity().isPresent(coded.code(row)));
            if (isPresent) {
                PgText.append(column, row, text);
            }
            cells.add(isPresent ? text.toString().replace("\\", "\\\\") : "\\N");
        }
        return String.join("\t", cells);
    }

    /// Structs, lists of lists and of structs, codes and views within them, a map, lists of one length.
    @ParameterizedTest
    @ValueSource(strings = {"nested.arrow", "nested-zstd.arrow"})
    void showsNestedColumnsAsPostgresqlWould(String name) throws IOException {
        try (ArrowFile file = ArrowFile.open(resource(name));
                ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
            assertThat(RandomBatch.rows(table))
                    .containsExactly(
                            List.of(
                                    "(1,\"x, y\")",
                                    "{{1,2},{3}}",
                                    "{\"(\\\"q\\\"\\\"q\\\",)\"}",
                                    "{red,NULL}",
                                    "{\"(a,1)\",\"(b,)\"}",
                                    "(\"a text longer than twelve\",{short})",
                                    "{1.5,2.5}",
                                    "()"),
                            Arrays.asList(null, null, null, null, null, null, null, null),
                            List.of(
                                    "(,\"\")",
                                    "{{},NULL}",
                                    "{}",
                                    "{}",
                                    "{}",
                                    "(,)",
                                    "{NULL,0}",
                                    "(\"(\"\"\\\\\\\\x01\"\")\")"),
                            Arrays.asList(
                                    "(3,\"(z)\")",
                                    "{}",
                                    "{NULL,\"(\\\"\\\",7)\"}",
                                    "{red}",
                                    "{\"(c,3)\"}",
                                    "(t,\"{\"\"another text longer than twelve\"\",\"\"\"\"}\")",
                                    "{1,-1}",
                                    null));
            assertThat(table.shownSchema().fields())
                    .extracting(Field::pgType)
                    .containsExactly(null, "bigint[]", null, "text[]", null, null, "real[]", null);
        }
    }
}
