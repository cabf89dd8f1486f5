package dev.quarrel.cli.imports;

import static dev.quarrel.cli.imports.HandmadeParquet.Field.group;
import static dev.quarrel.cli.imports.HandmadeParquet.Field.number;
import static dev.quarrel.cli.imports.HandmadeParquet.Field.text;
import static dev.quarrel.cli.imports.HandmadeParquet.LIST;
import static dev.quarrel.cli.imports.HandmadeParquet.MAP;
import static dev.quarrel.cli.imports.HandmadeParquet.MAP_KEY_VALUE;
import static dev.quarrel.cli.imports.HandmadeParquet.NO_ANNOTATION;
import static dev.quarrel.cli.imports.HandmadeParquet.OPTIONAL;
import static dev.quarrel.cli.imports.HandmadeParquet.REPEATED;
import static dev.quarrel.cli.imports.HandmadeParquet.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hardwood.HardwoodContext;
import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lists, structs and maps of Parquet files, read back as texts from the Arrow files that they become.
final class NestedParquetTest {
    private static final int TABLES = 60;

    @TempDir
    private Path folder;

    private int fileCount;

    /// The texts of a file's rows, of which a batch has so many elements; those of the file that is made of it are the
    /// same when it is imported in turn.
    private List<List<String>> imported(Path parquet, int maxEntries) throws IOException {
        Path arrow;
        try (HardwoodContext context = HardwoodContext.create();
                ParquetSource source = new ParquetSource(parquet, context, maxEntries)) {
            arrow = written(source);
        }
        List<List<String>> texts = texts(arrow);
        try (ArrowSource again = new ArrowSource(arrow)) {
            assertThat(texts(written(again))).isEqualTo(texts);
        }
        return texts;
    }

    private Path written(ImportSource source) throws IOException {
        Path arrow = folder.resolve(fileCount++ + ".arrow");
        WriteOptions options = WriteOptions.PLAIN;
        for (Map.Entry<String, NestedType> column : source.nested().entrySet()) {
            options = options.withNested(column.getKey(), column.getValue());
        }
        try (ArrowFileWriter writer = ArrowFileWriter.create(arrow, source.schema(), options.withDurable(false))) {
            for (Batch batch = source.next(); batch != null; batch = source.next()) {
                try (Batch owned = batch) {
                    writer.append(owned);
                }
            }
            writer.finish();
        }
        return arrow;
    }

    private static List<List<String>> texts(Path arrow) {
        List<List<String>> rows = new ArrayList<>();
        TextBuffer text = new TextBuffer();
        try (ArrowFile file = ArrowFile.open(arrow);
                PooledMemory memory = new PooledMemory()) {
            for (int batch = 0; batch < file.batchCount(); batch++) {
                List<Column> columns = new ArrayList<>();
                for (int column = 0; column < file.schema().size(); column++) {
                    columns.add(file.column(batch, column, memory));
                }
                for (int row = 0; row < file.batchRows(batch); row++) {
                    List<String> cells = new ArrayList<>();
                    for (Column column : columns) {
                        text.clear();
                        boolean isPresent = column.validity().isPresent(row);
                        if (isPresent) {
                            PgText.append(column, row, text);
                        }
                        cells.add(
                                isPresent ? new String(text.array(), 0, text.length(), StandardCharsets.UTF_8) : null);
                    }
                    rows.add(cells);
                }
            }
        }
        return rows;
    }

    private static HandmadeParquet.Group row(Object... members) {
        return new HandmadeParquet.Group(members);
    }

    private List<String> column(HandmadeParquet.Field field, Object... values) throws IOException {
        Path file = folder.resolve("one.parquet");
        List<HandmadeParquet.Group> rows =
                Arrays.stream(values).map(NestedParquetTest::row).toList();
        HandmadeParquet.write(file, List.of(field), List.of(rows.subList(0, 1), rows.subList(1, rows.size())));
        return imported(file, Integer.MAX_VALUE).stream().map(List::getFirst).toList();
    }

    // ---- the forms of "Logical Types"

    @Test
    void listsOfThreeLevelsHaveNullsAtEach() throws IOException {
        HandmadeParquet.Field list =
                group("l", OPTIONAL, LIST, group("list", REPEATED, NO_ANNOTATION, number("element", OPTIONAL)));
        assertThat(column(
                        list,
                        row(List.of(row(1), row((Object) null), row(3))),
                        null,
                        row(List.of()),
                        row(List.of(row((Object) null)))))
                .containsExactly("{1,NULL,3}", null, "{}", "{NULL}");
    }

    @Test
    void listsOfTwoLevelsHoldTheirRepeatedField() throws IOException {
        assertThat(column(
                        group("l", OPTIONAL, LIST, number("element", REPEATED)),
                        row(List.of(1, 2)),
                        null,
                        row(List.of())))
                .as("values")
                .containsExactly("{1,2}", null, "{}");
        assertThat(column(
                        group(
                                "l",
                                OPTIONAL,
                                LIST,
                                group("element", REPEATED, NO_ANNOTATION, text("s", REQUIRED), number("n", OPTIONAL))),
                        row(List.of(row("a", 1), row("b", null))),
                        null,
                        row(List.of())))
                .as("structs of several members")
                .containsExactly("{\"(a,1)\",\"(b,)\"}", null, "{}");
        for (String name : List.of("array", "l_tuple")) {
            assertThat(column(
                            group("l", OPTIONAL, LIST, group(name, REPEATED, NO_ANNOTATION, text("s", REQUIRED))),
                            row(List.of(row("a"), row(""))),
                            null,
                            row(List.of())))
                    .as(name)
                    .containsExactly("{(a),\"(\\\"\\\")\"}", null, "{}");
        }
        assertThat(column(
                        group("l", OPTIONAL, LIST, group("array", REPEATED, LIST, number("array", REPEATED))),
                        row(List.of(row(List.of(1, 2)), row(List.of()), row(List.of(3)))),
                        null,
                        row(List.of())))
                .as("lists")
                .containsExactly("{{1,2},{},{3}}", null, "{}");
    }

    @Test
    void repeatedFieldsAreListsByThemselves() throws IOException {
        assertThat(column(number("l", REPEATED), List.of(1, 2), List.of(), List.of(3)))
                .containsExactly("{1,2}", "{}", "{3}");
        assertThat(column(
                        group("v", OPTIONAL, NO_ANNOTATION, number("n", REPEATED), text("s", OPTIONAL)),
                        row(List.of(1, 2), "a"),
                        null,
                        row(List.of(), null)))
                .containsExactly("(\"{1,2}\",a)", null, "({},)");
        assertRefused(
                group("l", REPEATED, NO_ANNOTATION, number("n", OPTIONAL)), List.of(row(1)), "column \"l\"", "0A000");
    }

    @Test
    void mapsMayBeMarkedInOldWays() throws IOException {
        for (int inner : new int[] {NO_ANNOTATION, MAP_KEY_VALUE}) {
            assertThat(column(
                            group(
                                    "m",
                                    OPTIONAL,
                                    MAP,
                                    group("map", REPEATED, inner, text("k", REQUIRED), number("v", OPTIONAL))),
                            row(List.of(row("a", 1), row("b", null))),
                            null,
                            row(List.of())))
                    .containsExactly("{\"(a,1)\",\"(b,)\"}", null, "{}");
        }
    }

    @Test
    void whatIsNoListAndNoMapIsRefusedByName() {
        assertRefused(group("l", OPTIONAL, LIST, number("element", OPTIONAL)), row(1), "column \"l\"", "0A000");
        assertRefused(
                group("l", OPTIONAL, LIST, number("a", REPEATED), number("b", REPEATED)),
                row(List.of(), List.of()),
                "column \"l\"",
                "0A000");
        assertRefused(
                group("m", OPTIONAL, MAP, group("key_value", REPEATED, NO_ANNOTATION, text("key", REQUIRED))),
                row(List.of(row("a"))),
                "column \"m.key_value\"",
                "0A000");
        assertRefused(
                group(
                        "m",
                        OPTIONAL,
                        MAP,
                        group("key_value", REPEATED, NO_ANNOTATION, text("key", OPTIONAL), number("value", OPTIONAL))),
                row(List.of(row(null, 1))),
                "one.parquet\": a map has a key that is NULL",
                "22004");
        assertRefused(
                group("v", OPTIONAL, NO_ANNOTATION, number("n", OPTIONAL), number("n", OPTIONAL)),
                row(1, 2),
                "column \"v.n\"",
                "0A000");
        HandmadeParquet.Field deep = number("n", OPTIONAL);
        Object value = 1;
        for (int depth = 0; depth < 70; depth++) {
            deep = group("g" + depth, OPTIONAL, NO_ANNOTATION, deep);
            value = row(value);
        }
        assertRefused(deep, value, "71 levels", "0A000");
    }

    private void assertRefused(HandmadeParquet.Field field, Object value, String message, String state) {
        assertThatThrownBy(() -> column(field, value, value)).isInstanceOfSatisfying(QueryException.class, refused -> {
            assertThat(refused.state().code()).isEqualTo(state);
            assertThat(refused.getMessage()).contains(message, "one.parquet");
        });
    }

    // ---- random schemas

    /// A random column: its field, and how its values are made, each with its text.
    private record Made(HandmadeParquet.Field field, Supplier<Cell> cells) {}

    /// @param value as files have it
    /// @param text null for NULL
    /// @param isList whether it is a list, and no text in an array around it
    private record Cell(Object value, String text) {}

    private Random random;

    @Test
    void randomRowsKeepTheirTexts() throws IOException {
        long seed = Long.getLong("quarrel.seed", System.nanoTime() >>> 10);
        System.out.println("NestedParquetTest: -Dquarrel.seed=" + seed);
        random = new Random(seed);
        for (int table = 0; table < TABLES; table++) {
            List<Made> columns = IntStream.range(0, 1 + random.nextInt(4))
                    .mapToObj(number -> any("c" + number, 3))
                    .toList();
            List<List<HandmadeParquet.Group>> groups = new ArrayList<>();
            List<List<String>> expected = new ArrayList<>();
            for (int group = random.nextInt(3); group >= 0; group--) {
                List<HandmadeParquet.Group> rows = new ArrayList<>();
                for (int row = random.nextInt(80); row > 0; row--) {
                    List<Cell> cells =
                            columns.stream().map(column -> column.cells().get()).toList();
                    rows.add(row(cells.stream().map(Cell::value).toArray()));
                    expected.add(cells.stream().map(Cell::text).toList());
                }
                groups.add(rows);
            }
            groups.removeIf(List::isEmpty);
            Path file = folder.resolve("random" + table + ".parquet");
            List<HandmadeParquet.Field> fields =
                    columns.stream().map(Made::field).toList();
            HandmadeParquet.write(file, fields, groups);
            int maxEntries = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(20);
            List<List<String>> actual = imported(file, maxEntries);
            for (int row = 0; row < Math.max(actual.size(), expected.size()); row++) {
                assertThat(actual.get(row))
                        .as("table %d of seed %d, row %d of %d, %s", table, seed, row, expected.size(), fields)
                        .isEqualTo(expected.get(row));
            }
        }
    }

    private Made any(String name, int depth) {
        return switch (depth == 0 ? 0 : random.nextInt(6)) {
            case 0, 1 -> value(name);
            case 2 -> struct(name, depth);
            case 3 -> map(name, depth);
            default -> list(name, depth);
        };
    }

    private int repetition() {
        return random.nextInt(4) == 0 ? REQUIRED : OPTIONAL;
    }

    private Made optional(HandmadeParquet.Field field, Supplier<Cell> cells) {
        return new Made(
                field,
                () -> field.repetition() == OPTIONAL && random.nextInt(5) == 0 ? new Cell(null, null) : cells.get());
    }

    private Made value(String name) {
        if (random.nextBoolean()) {
            return optional(number(name, repetition()), () -> {
                int number = random.nextInt(-3, 1000);
                return new Cell(number, Integer.toString(number));
            });
        }
        return optional(text(name, repetition()), () -> {
            List<String> words = List.of("", "a", "NULL", "x y", "{b}", "q\"", "\\", "(c,d)", "longer than twelve");
            String word = words.get(random.nextInt(words.size()));
            return new Cell(word, word);
        });
    }

    private Made struct(String name, int depth) {
        List<Made> members = IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(number -> any("m" + number, depth - 1))
                .toList();
        HandmadeParquet.Field[] fields = members.stream().map(Made::field).toArray(HandmadeParquet.Field[]::new);
        return optional(group(name, repetition(), NO_ANNOTATION, fields), () -> {
            List<Cell> cells =
                    members.stream().map(member -> member.cells().get()).toList();
            return new Cell(row(cells.stream().map(Cell::value).toArray()), record(cells));
        });
    }

    private Made list(String name, int depth) {
        Made element = any(random.nextBoolean() ? "element" : "item", depth - 1);
        boolean isOfLists =
                element.field().annotation() == LIST || element.field().annotation() == MAP;
        HandmadeParquet.Field repeated = group("list", REPEATED, NO_ANNOTATION, element.field());
        return optional(group(name, repetition(), LIST, repeated), () -> {
            List<Cell> cells = cells(element);
            List<Object> elements = new ArrayList<>();
            cells.forEach(cell -> elements.add(row(cell.value())));
            return new Cell(row(elements), array(cells, isOfLists));
        });
    }

    private Made map(String name, int depth) {
        Made key = value("key");
        HandmadeParquet.Field required =
                new HandmadeParquet.Field("key", REQUIRED, key.field().annotation(), null);
        Made value = any("value", depth - 1);
        HandmadeParquet.Field entries = group("key_value", REPEATED, NO_ANNOTATION, required, value.field());
        Made pair = new Made(entries, () -> {
            Cell first = key.cells().get();
            while (first.value() == null) {
                first = key.cells().get();
            }
            Cell second = value.cells().get();
            return new Cell(row(first.value(), second.value()), record(List.of(first, second)));
        });
        return optional(group(name, repetition(), MAP, entries), () -> {
            List<Cell> cells = cells(pair);
            return new Cell(row(cells.stream().map(Cell::value).toList()), array(cells, false));
        });
    }

    private List<Cell> cells(Made element) {
        int count = random.nextInt(15) == 0 ? 12 : random.nextInt(4);
        return IntStream.range(0, count).mapToObj(_ -> element.cells().get()).toList();
    }

    /// PostgreSQL's array_out.
    private static String array(List<Cell> cells, boolean isOfLists) {
        List<String> texts = new ArrayList<>();
        for (Cell cell : cells) {
            String text = cell.text();
            boolean isPlain = text == null
                    || isOfLists
                    || !(text.isEmpty() || text.equalsIgnoreCase("null") || text.matches("(?s).*[{},\"\\\\\\s].*"));
            texts.add(
                    isPlain
                            ? String.valueOf(text).replaceFirst("^null$", "NULL")
                            : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
        }
        return "{" + String.join(",", texts) + "}";
    }

    /// PostgreSQL's record_out.
    private static String record(List<Cell> cells) {
        List<String> texts = new ArrayList<>(Collections.nCopies(cells.size(), ""));
        for (int index = 0; index < cells.size(); index++) {
            String text = cells.get(index).text();
            if (text != null) {
                boolean isPlain = !text.isEmpty() && !text.matches("(?s).*[(),\"\\\\\\s].*");
                texts.set(
                        index,
                        isPlain ? text : "\"" + text.replace("\\", "\\\\").replace("\"", "\"\"") + "\"");
            }
        }
        return "(" + String.join(",", texts) + ")";
    }
}
