package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Random lists and structs of random values: their texts come back from a file as they went in.
class NestedFileTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int TYPES = 60;

    @TempDir
    private Path folder;

    private final Random random = new Random(SEED);

    @Test
    void textsComeBack() {
        System.out.println("NestedFileTest: -Dquarrel.seed=" + SEED);
        for (int index = 0; index < TYPES; index++) {
            NestedType type = container(3);
            int rowCount = RandomBatch.EDGE_ROW_COUNTS[random.nextInt(RandomBatch.EDGE_ROW_COUNTS.length)];
            List<String> texts = new ArrayList<>();
            for (int row = 0; row < rowCount; row++) {
                texts.add(random.nextInt(6) == 0 ? null : text(type));
            }
            Path path = folder.resolve("n" + index + ".arrow");
            write(path, type, texts, WriteOptions.PLAIN.withZstd(index % 2));
            try (ArrowFile file = ArrowFile.open(path);
                    ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
                List<List<Object>> rows = RandomBatch.rows(table);
                assertThat(rows)
                        .as(type.toString())
                        .isEqualTo(texts.stream()
                                .map(text -> Collections.<Object>singletonList(text))
                                .toList());
            }
            assertThat(Inspection.of(path, true).isSound()).isTrue();
        }
    }

    /// Rows of a batch that is larger than a piece, NULLs, empty lists and long ones among them.
    @Test
    void largeBatchesAreReadInPieces() {
        for (int index = 0; index < 4; index++) {
            NestedType type =
                    index == 0 ? new NestedType.Array(composite("x", INT, "y", NestedType.TEXT), 1) : container(2);
            if (type instanceof NestedType.Composite(var members) && members.isEmpty()) {
                continue; // nothing of it is copied
            }
            List<String> distinct = new ArrayList<>();
            while (distinct.size() < 40) {
                distinct.add(random.nextInt(6) == 0 ? null : text(type));
            }
            List<String> texts = new ArrayList<>();
            for (int row = 0; row < 70_000 + index; row++) {
                texts.add(distinct.get(random.nextInt(distinct.size())));
            }
            Path path = folder.resolve("p" + index + ".arrow");
            write(path, type, texts, WriteOptions.PLAIN);
            try (ArrowFile file = ArrowFile.open(path);
                    ArrowTable table = ArrowTable.of("public", "t", List.of(file));
                    OwnedMemory memory = new OwnedMemory()) {
                assertThat(file.batchCount()).isEqualTo(1);
                assertThat(table.batchCount()).isGreaterThan(2);
                int first = 0;
                for (int batch = 0; batch < table.batchCount(); batch++) {
                    try (Batch read = table.read(batch, new int[] {0})) {
                        assertThat(read.isMade(0)).isFalse();
                        assertThat(RandomBatch.rows(read))
                                .as(type + " from row " + first)
                                .isEqualTo(texts.subList(first, first + read.rowCount()).stream()
                                        .map(text -> Collections.<Object>singletonList(text))
                                        .toList());
                        first += read.rowCount();
                    }
                }
                assertThat(first).isEqualTo(texts.size());
                long nulls = texts.stream().filter(text -> text == null).count();
                assertThat(table.stats().columns().getFirst().nullCount()).isIn(nulls, -1L);
                assertThat(file.column(0, 0, memory).rowCount()).isEqualTo(texts.size());
            }
        }
    }

    /// A table's texts of structs have the members in one order, whatever that of its files.
    @Test
    void membersAreInOneOrder() {
        NestedType inner = composite("x", INT, "y", INT);
        NestedType first = composite("a", INT, "b", NestedType.TEXT, "c", inner);
        NestedType second = composite("c", composite("y", INT, "z", INT, "x", INT), "b", NestedType.TEXT, "d", INT);
        NestedType third = composite("d", INT, "c", new NestedType.Array(INT, 1), "a", INT);
        List<List<String>> rows = List.of(
                Arrays.asList("(1,2,\"(3,4)\")", null, "(2,,)"),
                Arrays.asList("(\"(5,6,7)\",9,8)", "(,,)"),
                Arrays.asList("(1,\"{2,3}\",4)", null));
        List<String> expected = Arrays.asList(
                "(1,2,\"(3,4,)\",)", null, "(2,,,)", "(,9,\"(7,5,6)\",8)", "(,,,)", "(4,,\"{2,3}\",1)", null);
        assertThat(texts("s", List.of(first, second, third), rows)).isEqualTo(expected);
        List<NestedType> lists = Stream.of(first, second, third)
                .<NestedType>map(type -> new NestedType.Array(type, 1))
                .toList();
        assertThat(texts("l", lists, rows.stream().map(NestedFileTest::arrays).toList()))
                .isEqualTo(arrays(expected));
    }

    /// Members that a file's structs lack are NULL, and integers are the widest, in whatever order they stand.
    @Test
    void elementsHaveTheMembersOfAllFiles() {
        NestedType first = composite("a", INT, "b", NestedType.TEXT);
        NestedType second = composite("c", INT, "a", new NestedType.Leaf(PgType.INT8, DataType.INT64));
        List<NestedType> types = List.of(new NestedType.Array(first, 1), new NestedType.Array(second, 1));
        List<List<String>> texts =
                List.of(Arrays.asList("{\"(1,x)\",NULL}", "{}"), Arrays.asList("{\"(2,5000000000)\",\"(,3)\"}", null));
        List<ArrowFile> files = files("e", types, texts);
        try (ArrowTable table = ArrowTable.of("public", "t", files)) {
            assertThat(elements(table, false))
                    .containsExactly(
                            "(1,x,) 1 x null",
                            "null null null null",
                            "(5000000000,,2) 5000000000 null 2",
                            "(3,,) 3 null null");
            assertThat(elements(table, true))
                    .containsExactly(
                            "(1,x,) 1 x null",
                            "null null null null",
                            "null null null null",
                            "(5000000000,,2) 5000000000 null 2",
                            "(3,,) 3 null null",
                            "null null null null");
        } finally {
            files.forEach(ArrowFile::close);
        }
    }

    /// Each element as a whole, and its members.
    private static List<String> elements(ArrowTable table, boolean isOuter) {
        Table elements = table.elements("n", isOuter);
        int[] columns = Stream.of("unnest", "(unnest).a", "(unnest).b", "(unnest).c")
                .mapToInt(elements.schema()::indexOf)
                .toArray();
        return RandomBatch.rows(elements, columns).stream()
                .map(row -> row.stream().map(String::valueOf).collect(Collectors.joining(" ")))
                .toList();
    }

    private static final NestedType INT = new NestedType.Leaf(PgType.INT4, DataType.INT32);

    private static NestedType composite(Object... members) {
        return new NestedType.Composite(IntStream.range(0, members.length / 2)
                .mapToObj(index ->
                        new NestedType.Member((String) members[2 * index], (NestedType) members[2 * index + 1]))
                .toList());
    }

    /// Of each text an array of it and NULL.
    private static List<String> arrays(List<String> texts) {
        return texts.stream()
                .map(text -> text == null ? null : "{" + escaped(text) + ",NULL}")
                .toList();
    }

    /// The first column of a table of files with these rows.
    private List<Object> texts(String name, List<NestedType> types, List<List<String>> rows) {
        List<ArrowFile> files = files(name, types, rows);
        try (ArrowTable table = ArrowTable.of("public", "t", files)) {
            for (int batch = 1; batch < table.batchCount(); batch++) {
                assertThat(table.batchStats(batch, 0).min()).isNull(); // they are of other texts
            }
            return RandomBatch.rows(table).stream().map(List::getFirst).toList();
        } finally {
            files.forEach(ArrowFile::close);
        }
    }

    private List<ArrowFile> files(String name, List<NestedType> types, List<List<String>> rows) {
        List<ArrowFile> files = new ArrayList<>();
        for (int file = 0; file < types.size(); file++) {
            Path path = folder.resolve(name + file + ".arrow");
            write(path, types.get(file), rows.get(file), WriteOptions.PLAIN);
            files.add(ArrowFile.open(path));
        }
        return files;
    }

    /// Whatever a byte of the file becomes.
    @Test
    void damagedFilesGiveRowsOrErrors() throws IOException {
        System.out.println("NestedFileTest: -Dquarrel.seed=" + SEED);
        for (int index = 0; index < 12; index++) {
            NestedType type = container(3);
            List<String> texts =
                    IntStream.range(0, 20).mapToObj(_ -> text(type)).toList();
            Path path = folder.resolve("d" + index + ".arrow");
            write(path, type, texts, WriteOptions.PLAIN.withZstd(index % 2));
            byte[] bytes = Files.readAllBytes(path);
            for (int damage = 0; damage < 150; damage++) {
                byte[] damaged = bytes.clone();
                for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                }
                Path copy = folder.resolve("d" + index + "-" + damage + ".arrow");
                Files.write(copy, damaged);
                try (ArrowFile file = ArrowFile.open(copy);
                        ArrowTable table = ArrowTable.of("public", "t", List.of(file))) {
                    RandomBatch.rows(table);
                } catch (QueryException expected) {
                    assertThat(expected.state().code()).matches("XX001|58030|0A000|22008");
                }
                Files.delete(copy);
            }
        }
    }

    private static void write(Path path, NestedType type, List<String> texts, WriteOptions options) {
        Schema schema = Schema.of(new Field("n", DataType.UTF8, true));
        try (Arena arena = Arena.ofConfined();
                ArrowFileWriter writer = ArrowFileWriter.create(path, schema, options.withNested("n", type))) {
            ColumnWriter column = new ColumnWriter(DataType.UTF8, Allocator.of(arena));
            for (String text : texts) {
                if (text == null) {
                    column.appendNull();
                } else {
                    column.appendUtf8(text);
                }
            }
            writer.append(Batch.view(schema, List.of(column.finish()), texts.size()));
            writer.finish();
        }
    }

    private NestedType any(int depth) {
        return depth == 0 || random.nextBoolean() ? leaf() : container(depth);
    }

    private NestedType container(int depth) {
        return switch (random.nextInt(depth == 3 ? 7 : 4)) {
            case 0 -> {
                NestedType element = any(depth - 1);
                yield new NestedType.Array(
                        element instanceof NestedType.Array ? NestedType.TEXT : element, 1 + random.nextInt(3));
            }
            case 1 ->
                new NestedType.Composite(IntStream.range(0, random.nextInt(5))
                        .mapToObj(index -> new NestedType.Member("m " + index, any(depth - 1)))
                        .toList());
            case 2 -> new NestedType.Range(leaf());
            case 3 -> new NestedType.Multirange(new NestedType.Range(leaf()));
            case 4 -> new NestedType.Vector();
            case 5 -> new NestedType.Hstore();
            default -> new NestedType.Hex();
        };
    }

    private NestedType.Leaf leaf() {
        return switch (random.nextInt(9)) {
            case 0 -> new NestedType.Leaf(PgType.INT4, DataType.INT32);
            case 1 -> new NestedType.Leaf(PgType.FLOAT8, DataType.FLOAT64);
            case 2 -> new NestedType.Leaf(PgType.BOOL, DataType.BOOL);
            case 3 -> new NestedType.Leaf(PgType.DATE, DataType.DATE);
            case 4 -> new NestedType.Leaf(PgType.NUMERIC, new DataType.Decimal(38, 2));
            case 5 -> new NestedType.Leaf(PgType.TIMESTAMPTZ, DataType.TIMESTAMPTZ);
            case 6 -> new NestedType.Leaf(PgType.UUID, DataType.UUID);
            case 7 -> new NestedType.Leaf(PgType.BYTEA, DataType.BINARY);
            default -> NestedType.TEXT;
        };
    }

    private String one(String... texts) {
        return texts[random.nextInt(texts.length)];
    }

    private String word() {
        return one(
                "", "a", "a b", "NULL", "null", "{x}", "q\"q", "b\\s", ",", "(", ")", "[", "]", "é🏹", " ", "\t", "=>",
                "\"\"");
    }

    private String text(NestedType type) {
        return switch (type) {
            case NestedType.Leaf(PgType pgType, DataType _) ->
                switch (pgType) {
                    case INT4 -> String.valueOf(random.nextInt());
                    case FLOAT8 -> one("NaN", "-Infinity", "-0", "1.5", "1e-300", "0.1");
                    case BOOL -> one("t", "f");
                    case DATE -> one("infinity", "-infinity", "0044-03-15 BC", "2024-02-29");
                    case NUMERIC -> one("0.00", "-0.01", "999999999999999999999999999999999999.99");
                    case TIMESTAMPTZ -> one("infinity", "1969-12-31 23:59:59.999999+00", "2024-01-01 00:00:00+00");
                    case UUID -> "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
                    case BYTEA -> one("\\x", "\\x00ff");
                    default -> word();
                };
            case NestedType.Array(NestedType element, int dimensions) ->
                random.nextInt(5) == 0
                        ? "{}"
                        : array(
                                element,
                                IntStream.generate(() -> 1 + random.nextInt(3))
                                        .limit(dimensions)
                                        .toArray(),
                                0);
            case NestedType.Composite(List<NestedType.Member> members) ->
                members.stream()
                        .map(member -> random.nextInt(4) == 0 ? "" : quoted(text(member.type()), "\"\\(), \t"))
                        .collect(Collectors.joining(",", "(", ")"));
            case NestedType.Range(NestedType.Leaf bound) ->
                random.nextInt(5) == 0 ? "empty" : one("[", "(") + bound(bound) + "," + bound(bound) + one("]", ")");
            case NestedType.Multirange(NestedType.Range range) ->
                IntStream.range(0, random.nextInt(4))
                        .mapToObj(
                                _ -> one("[", "(") + bound(range.bound()) + "," + bound(range.bound()) + one("]", ")"))
                        .collect(Collectors.joining(",", "{", "}"));
            case NestedType.Vector _ ->
                IntStream.range(0, random.nextInt(4))
                        .mapToObj(_ -> one("1", "-2.5", "3e+20", "1e-05"))
                        .collect(Collectors.joining(",", "[", "]"));
            case NestedType.Hstore _ ->
                IntStream.range(0, random.nextInt(4))
                        .mapToObj(_ -> escaped(word()) + "=>" + (random.nextInt(4) == 0 ? "NULL" : escaped(word())))
                        .collect(Collectors.joining(", "));
            case NestedType.Hex _ -> one("", "00FF", "0101000000");
            case NestedType.Pairs _ -> throw new IllegalArgumentException("maps do not come as text");
        };
    }

    private String array(NestedType element, int[] lengths, int dimension) {
        return IntStream.range(0, lengths[dimension])
                .mapToObj(_ -> {
                    if (dimension + 1 < lengths.length) {
                        return array(element, lengths, dimension + 1);
                    }
                    String text = random.nextInt(4) == 0 ? null : text(element);
                    boolean isPlain = text != null
                            && !text.isEmpty()
                            && !text.equalsIgnoreCase("NULL")
                            && text.chars().noneMatch(each -> "\"\\{}, \t".indexOf(each) >= 0);
                    return text == null ? "NULL" : isPlain ? text : escaped(text);
                })
                .collect(Collectors.joining(",", "{", "}"));
    }

    private String bound(NestedType.Leaf bound) {
        return random.nextInt(4) == 0 ? "" : quoted(text(bound), "\"\\()[], \t");
    }

    private static String quoted(String text, String special) {
        return !text.isEmpty() && text.chars().noneMatch(each -> special.indexOf(each) >= 0)
                ? text
                : '"' + text.replace("\\", "\\\\").replace("\"", "\"\"") + '"';
    }

    private static String escaped(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{{1,2},{3,4}}; 0A000",
                "[0:1]={1,2}; 0A000",
                "{1,x}; 22P02",
                "{1,\"2; 22P02",
                "1,2; 22P02",
                "{1 2}; 22P02",
                "{; 22P02"
            })
    void otherTextsAreRefused(String text, String state) {
        assertThatThrownBy(() -> write(
                        folder.resolve("a.arrow"),
                        NestedType.array(PgType.INT4_ARRAY, 1),
                        List.of(text),
                        WriteOptions.PLAIN))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        refused -> assertThat(refused.state().code()).isEqualTo(state));
    }
}
