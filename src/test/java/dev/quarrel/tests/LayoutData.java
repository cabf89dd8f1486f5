package dev.quarrel.tests;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import dev.quarrel.tests.RawArrowFile.Form;
import dev.quarrel.tests.RawArrowFile.Style;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A table of facts and one of dimensions, the same rows in many physical layouts: each is a schema of one dataset.
///
/// How many NULLs a column has changes from one hundred of rows to the next: none, some, most.
final class LayoutData {
    static final int FACTS = 1_500;
    private static final int DIMENSIONS = 40;
    private static final String FACT = "f";
    private static final String DIMENSION = "d";
    private static final WriteOptions PLAIN = WriteOptions.PLAIN.withDurable(false);

    /// @param columns of the table
    /// @param rows a value a column, as literals have them; null for NULL
    private record Rows(List<Field> columns, List<Object[]> rows) {
        List<List<Object[]>> cut(int... sizes) {
            List<List<Object[]>> batches = new ArrayList<>();
            int from = 0;
            for (int index = 0; from < rows.size(); index++) {
                int count = Math.min(sizes[index % sizes.length], rows.size() - from);
                batches.add(rows.subList(from, from + count));
                from += count;
            }
            return batches;
        }
    }

    /// The layouts, by the name of their schema; the first is the reference.
    enum Layout {
        /// A file of one batch.
        WHOLE,
        /// Many files of small batches.
        PARTS,
        /// Dictionaries, one a file, and one file.
        CODED,
        /// Many files, each with dictionaries of its own, without statistics.
        DICTIONARIES,
        /// Dictionaries that grow, with entries that no row has, more than the codes of some files can say.
        DELTAS,
        /// NULLs of a column lie together: batches without any, of nothing else, and empty ones between.
        NULLS_APART,
        /// Buffers at odd places, texts that do not start at 0, garbage where nobody looks.
        SLICED,
        /// Compressed by ZSTD in some files, by LZ4 in others.
        PACKED,
        /// Each file in forms of its own: narrow integers, views, large offsets, dictionaries with a NULL entry.
        MIXED,
        /// Folders of a key, files that lack what is NULL throughout, columns in another order.
        FOLDERS;

        String schema() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private static final List<Field> FACT_COLUMNS = List.of(
            new Field("id", DataType.INT32, false),
            new Field("i2", DataType.INT16, true),
            new Field("i4", DataType.INT32, true),
            new Field("i8", DataType.INT64, true),
            new Field("f8", DataType.FLOAT64, true),
            new Field("n", new DataType.Decimal(12, 2), true),
            new Field("b", DataType.BOOL, true),
            new Field("dt", DataType.DATE, true),
            new Field("ts", DataType.TIMESTAMP, true),
            new Field("t", DataType.UTF8, true),
            new Field("s", DataType.UTF8, true),
            new Field("c", DataType.UTF8, true, "character(3)"),
            new Field("e", DataType.UTF8, true),
            new Field("k", DataType.INT32, true),
            new Field("g", DataType.UTF8, true));

    private static final List<Field> DIMENSION_COLUMNS = List.of(
            new Field("id", DataType.INT32, false),
            new Field("name", DataType.UTF8, true),
            new Field("kind", DataType.UTF8, true),
            new Field("w", new DataType.Decimal(8, 2), true),
            new Field("z", DataType.INT32, true),
            new Field("day", DataType.DATE, true));

    private final Random random;
    private final Rows facts;
    private final Rows dimensions;

    LayoutData(long seed) {
        this.random = new Random(seed);
        this.facts = new Rows(FACT_COLUMNS, facts());
        this.dimensions = new Rows(DIMENSION_COLUMNS, dimensions());
    }

    private static String name(int dimension) {
        return dimension % 9 == 8 ? "a name of more than sixteen bytes, " + dimension : "n" + dimension;
    }

    private static int column(List<Field> columns, String name) {
        for (int column = 0; column < columns.size(); column++) {
            if (columns.get(column).name().equals(name)) {
                return column;
            }
        }
        throw new IllegalArgumentException(name);
    }

    private List<Object[]> facts() {
        LocalDate epoch = LocalDate.of(2020, 2, 1);
        List<Object[]> rows = new ArrayList<>();
        for (int id = 0; id < FACTS; id++) {
            Object[] row = {
                (long) id,
                random.nextInt(50) == 0 ? (long) Short.MIN_VALUE : random.nextInt(101) - 50L,
                (long) random.nextInt(20),
                (random.nextInt(7) - 3) * 1_000_000_000L * (1 + random.nextInt(4)),
                random.nextInt(40) == 0 ? Double.NaN : (random.nextInt(2001) - 1000) / 4.0,
                BigDecimal.valueOf(random.nextInt(20_001) - 10_000, 2),
                random.nextBoolean(),
                epoch.plusDays(random.nextInt(60)).toEpochDay(),
                epoch.atTime(random.nextInt(24), random.nextInt(60))
                                .plusDays(random.nextInt(60))
                                .toEpochSecond(ZoneOffset.UTC)
                        * 1_000_000,
                random.nextInt(4) == 0 ? "a long text number " + random.nextInt(100) : "t" + random.nextInt(200),
                List.of("a", "b", "c", "", "Zürich").get(random.nextInt(5)),
                List.of("x  ", "yy ", "zzz").get(random.nextInt(3)),
                name(random.nextInt(DIMENSIONS + 5)),
                (long) random.nextInt(DIMENSIONS + 5),
                List.of("eu", "us", "a=b/c", "Zürich").get(random.nextInt(4))
            };
            // From block to block another share, and each column on its own.
            for (int column = 1; column < row.length; column++) {
                int share = List.of(0, 15, 0, 80, 30, 100).get((id / 100 + column) % 6);
                row[column] = random.nextInt(100) < share ? null : row[column];
            }
            rows.add(row);
        }
        return rows;
    }

    private List<Object[]> dimensions() {
        List<Object[]> rows = new ArrayList<>();
        for (int id = 1; id <= DIMENSIONS; id++) {
            rows.add(new Object[] {
                (long) id,
                random.nextInt(10) == 0 ? null : name(id % (DIMENSIONS - 3)), // three come twice
                random.nextInt(5) == 0 ? null : List.of("a", "b", "c").get(random.nextInt(3)),
                random.nextInt(5) == 0 ? null : BigDecimal.valueOf(random.nextInt(2_000), 2),
                random.nextInt(5) == 0 ? null : (long) random.nextInt(6),
                random.nextInt(5) == 0
                        ? null
                        : LocalDate.of(2020, 2, 1).plusDays(random.nextInt(60)).toEpochDay()
            });
        }
        return rows;
    }

    // ---- PostgreSQL

    /// Makes the schema `layouts` of the oracle.
    void fill(PostgresOracle oracle) {
        oracle.run("DROP SCHEMA IF EXISTS layouts CASCADE; CREATE SCHEMA layouts");
        fill(oracle, FACT, facts);
        fill(oracle, DIMENSION, dimensions);
        oracle.run("ANALYZE layouts.f; ANALYZE layouts.d");
    }

    private static void fill(PostgresOracle oracle, String table, Rows rows) {
        oracle.run("CREATE TABLE layouts." + table + " ("
                + rows.columns.stream()
                        .map(field -> field.name() + " " + typeName(field) + (field.nullable() ? "" : " NOT NULL"))
                        .collect(Collectors.joining(", "))
                + ")");
        for (List<Object[]> part : rows.cut(500)) {
            oracle.run("INSERT INTO layouts." + table + " VALUES "
                    + part.stream()
                            .map(row -> {
                                List<String> values = new ArrayList<>();
                                for (int column = 0; column < row.length; column++) {
                                    values.add(literal(rows.columns.get(column).type(), row[column]));
                                }
                                return "(" + String.join(", ", values) + ")";
                            })
                            .collect(Collectors.joining(",\n")));
        }
    }

    private static String typeName(Field field) {
        return field.pgType() != null
                ? field.pgType()
                : switch (field.type()) {
                    case DataType.Int16 _ -> "int2";
                    case DataType.Int32 _ -> "int4";
                    case DataType.Int64 _ -> "int8";
                    case DataType.Float64 _ -> "float8";
                    case DataType.Decimal(int precision, int scale) -> "numeric(" + precision + "," + scale + ")";
                    case DataType.Bool _ -> "bool";
                    case DataType.Date _ -> "date";
                    case DataType.Timestamp _ -> "timestamp";
                    case DataType.Utf8 _ -> "text";
                    default -> throw new IllegalArgumentException(field.toString());
                };
    }

    private static String literal(DataType type, Object value) {
        if (value == null) {
            return "NULL";
        }
        return switch (type) {
            case DataType.Date _ -> "'" + LocalDate.ofEpochDay((Long) value) + "'";
            case DataType.Timestamp _ ->
                "'" + LocalDateTime.ofEpochSecond((Long) value / 1_000_000, 0, ZoneOffset.UTC) + "'";
            case DataType.Float64 _, DataType.Utf8 _ -> "'" + value + "'";
            default -> value.toString();
        };
    }

    // ---- Arrow files

    /// Writes every layout below a folder.
    Path write() {
        try {
            Path root = Files.createTempDirectory("quarrel-layouts");
            for (Layout layout : Layout.values()) {
                write(layout, root.resolve(layout.schema()), FACT, facts);
                write(layout, root.resolve(layout.schema()), DIMENSION, dimensions);
            }
            return root;
        } catch (IOException noFolder) {
            throw new UncheckedIOException(noFolder);
        }
    }

    private void write(Layout layout, Path folder, String table, Rows rows) throws IOException {
        switch (layout) {
            case WHOLE -> write(folder.resolve(table).resolve("0.arrow"), rows.columns, List.of(rows.rows), PLAIN);
            case PARTS -> {
                int file = 0;
                for (List<Object[]> part : rows.cut(200, 13, 1, 300)) {
                    write(
                            folder.resolve(table).resolve(file++ + ".arrow"),
                            rows.columns,
                            new Rows(rows.columns, part).cut(37, 64, 1),
                            PLAIN);
                }
            }
            case CODED ->
                write(folder.resolve(table).resolve("0.arrow"), rows.columns, rows.cut(100, 333), coded(rows, 2));
            case DICTIONARIES -> {
                int file = 0;
                for (List<Object[]> part : rows.cut(100, 50, 170)) {
                    write(
                            folder.resolve(table).resolve(file + ".arrow"),
                            rows.columns,
                            new Rows(rows.columns, part).cut(33, 100),
                            coded(rows, file % 3 == 0 ? 4 : 2).withStatistics(Set.of()));
                    file++;
                }
            }
            case DELTAS -> {
                int file = 0;
                for (List<Object[]> part : rows.cut(500, 100, 250)) {
                    int number = file++;
                    List<RawArrowFile.Column> columns = rows.columns.stream()
                            .map(field -> new RawArrowFile.Column(
                                    field, field.type() instanceof DataType.Utf8 ? grown(number, field) : plain()))
                            .toList();
                    Path path = folder.resolve(table).resolve(number + ".arrow");
                    RawArrowFile.write(
                            path,
                            columns,
                            new Rows(rows.columns, part).cut(50, 7, 111),
                            new Style(false, false),
                            random);
                }
            }
            case NULLS_APART -> writeNullsApart(folder, table, rows);
            case SLICED -> {
                int file = 0;
                for (List<Object[]> part : rows.cut(700, 100)) {
                    int number = file++;
                    List<RawArrowFile.Column> columns = rows.columns.stream()
                            .map(field -> new RawArrowFile.Column(
                                    field,
                                    Set.of("s", "e", "name").contains(field.name())
                                            ? new Form.Coded(32, true, 1, 0, false)
                                            : plain()))
                            .toList();
                    RawArrowFile.write(
                            folder.resolve(table).resolve(number + ".arrow"),
                            columns,
                            new Rows(rows.columns, part).cut(61, 128, 0, 99),
                            new Style(true, false),
                            random);
                }
            }
            case PACKED -> {
                int file = 0;
                for (List<Object[]> part : rows.cut(400, 90)) {
                    Path path = folder.resolve(table).resolve(file + ".arrow");
                    List<List<Object[]>> batches = new Rows(rows.columns, part).cut(80, 150);
                    if (file++ % 2 == 0) {
                        write(path, rows.columns, batches, coded(rows, 2).withZstd(1));
                    } else {
                        List<RawArrowFile.Column> columns = rows.columns.stream()
                                .map(field -> new RawArrowFile.Column(
                                        field,
                                        field.type() instanceof DataType.Utf8
                                                ? new Form.Coded(16, true, 1, 3, false)
                                                : plain()))
                                .toList();
                        RawArrowFile.write(path, columns, batches, new Style(false, true), random);
                    }
                }
            }
            case MIXED -> {
                int file = 0;
                for (List<Object[]> part : rows.cut(250, 120, 40)) {
                    int number = file++;
                    Path path = folder.resolve(table).resolve(number + ".arrow");
                    List<List<Object[]>> batches = new Rows(rows.columns, part).cut(40, 90);
                    if (number % 3 == 2) {
                        write(path, rows.columns, batches, PLAIN.withLargeOffsets(true));
                        continue;
                    }
                    List<RawArrowFile.Column> columns = new ArrayList<>();
                    for (int column = 0; column < rows.columns.size(); column++) {
                        columns.add(new RawArrowFile.Column(
                                rows.columns.get(column), mixed(rows.columns.get(column), number, column)));
                    }
                    RawArrowFile.write(path, columns, batches, new Style(number % 2 == 1, false), random);
                }
            }
            case FOLDERS -> writeFolders(folder.resolve(table), rows);
        }
    }

    private static Form plain() {
        return new Form.Plain();
    }

    private static WriteOptions coded(Rows rows, int codeBytes) {
        WriteOptions options = PLAIN;
        for (Field field : rows.columns) {
            if (field.type() instanceof DataType.Utf8) {
                options = options.withDictionary(
                        field.name(), Set.of("s", "c", "g", "kind").contains(field.name()) ? 1 : codeBytes);
            }
        }
        return options;
    }

    /// Few texts: codes of a byte, and more entries than codes; many: two bytes or more.
    private static Form grown(int file, Field field) {
        boolean isSmall = !Set.of("t", "e", "name").contains(field.name());
        return isSmall
                ? file % 2 == 0 ? new Form.Coded(8, false, 3, 60, false) : new Form.Coded(8, true, 2, 20, false)
                : new Form.Coded(file % 2 == 0 ? 16 : 64, file % 2 == 1, 3, 10, false);
    }

    private static Form mixed(Field field, int file, int column) {
        return switch (field.type()) {
            case DataType.Int16 _ -> plain();
            case DataType.Int32 _ when file % 2 == 0 -> new Form.Narrow(16, false);
            case DataType.Decimal _ when file % 2 == 0 -> new Form.Narrow(64, true);
            case DataType.Date _, DataType.Timestamp _ when file % 2 == 0 -> new Form.Narrow(64, true);
            case DataType.Utf8 _ ->
                switch ((file + column) % 4) {
                    case 0 -> new Form.TextViews();
                    case 1 -> new Form.Coded(16, true, 2, 2, true);
                    case 2 -> new Form.LargeText();
                    default -> plain();
                };
            default -> plain();
        };
    }

    /// Rows in the order of which of their texts are NULL, cut where that changes.
    private void writeNullsApart(Path folder, String table, Rows rows) {
        List<Integer> told = rows.columns.stream()
                .filter(field -> Set.of("s", "i4", "k", "name", "z").contains(field.name()))
                .map(field -> column(rows.columns, field.name()))
                .toList();
        Map<String, List<Object[]>> groups = new TreeMap<>(Comparator.reverseOrder());
        for (Object[] row : rows.rows) {
            String which =
                    told.stream().map(column -> row[column] == null ? "0" : "1").collect(Collectors.joining());
            groups.computeIfAbsent(which, _ -> new ArrayList<>()).add(row);
        }
        List<List<Object[]>> batches = new ArrayList<>();
        for (List<Object[]> group : groups.values()) {
            batches.addAll(new Rows(rows.columns, group).cut(70, 20));
            batches.add(List.of());
        }
        // Those without NULLs and those with some in turn.
        Collections.shuffle(batches, random);
        int half = batches.size() / 2;
        write(folder.resolve(table).resolve("0.arrow"), rows.columns, batches.subList(0, half), coded(rows, 2));
        write(
                folder.resolve(table).resolve("1.arrow"),
                rows.columns,
                batches.subList(half, batches.size()),
                coded(rows, 4));
    }

    /// A folder a value of the key; and where a column is NULL in all of a file's rows it is left out.
    private void writeFolders(Path folder, Rows rows) {
        String key = rows == facts ? "g" : "kind";
        int keyColumn = column(rows.columns, key);
        Map<String, List<Object[]>> files = new LinkedHashMap<>();
        for (Object[] row : rows.rows) {
            String value = (String) row[keyColumn];
            String name = key + "="
                    + (value == null
                            ? "__HIVE_DEFAULT_PARTITION__"
                            : value.replace("=", "%3D").replace("/", "%2F").replace("ü", "%C3%BC"));
            files.computeIfAbsent(name + "/" + ((Long) row[0] / 400) + ".arrow", _ -> new ArrayList<>())
                    .add(row);
        }
        files.forEach((name, own) -> {
            List<Field> columns = new ArrayList<>(rows.columns);
            columns.removeIf(field -> {
                int column = column(rows.columns, field.name());
                return column == keyColumn
                        || field.pgType() == null && own.stream().allMatch(row -> row[column] == null);
            });
            if (own.size() % 2 == 0) {
                Collections.reverse(columns);
            }
            int[] places = columns.stream()
                    .mapToInt(field -> column(rows.columns, field.name()))
                    .toArray();
            List<Object[]> kept = own.stream()
                    .map(row ->
                            Arrays.stream(places).mapToObj(place -> row[place]).toArray())
                    .toList();
            WriteOptions options = PLAIN;
            for (Field field : columns) {
                if (Set.of("s", "e", "name").contains(field.name())) {
                    options = options.withDictionary(field.name(), 2);
                }
            }
            write(folder.resolve(name), columns, new Rows(columns, kept).cut(45, 90), options);
        });
    }

    private static void write(Path path, List<Field> columns, List<List<Object[]>> batches, WriteOptions options) {
        Schema schema = new Schema(columns);
        try (ArrowFileWriter writer = ArrowFileWriter.create(path, schema, options)) {
            for (List<Object[]> rows : batches) {
                try (Arena arena = Arena.ofConfined()) {
                    List<Column> made = new ArrayList<>();
                    for (int column = 0; column < columns.size(); column++) {
                        ColumnWriter values =
                                new ColumnWriter(schema.type(column), bytes -> arena.allocate(Math.max(1, bytes), 8));
                        for (Object[] row : rows) {
                            values.append(row[column]);
                        }
                        made.add(values.finish());
                    }
                    writer.append(Batch.view(schema, made, rows.size()));
                }
            }
            writer.finish();
        }
    }
}
