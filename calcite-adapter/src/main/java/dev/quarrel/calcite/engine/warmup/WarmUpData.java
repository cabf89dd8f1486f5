package dev.quarrel.calcite.engine.warmup;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// The dataset that a warm-up queries: a star schema of one fact table and three dimension tables, some 6 MB.
public final class WarmUpData {
    private static final int ROWS = 1 << 16;
    /// Small, so that what is done once a batch is done often.
    private static final int BATCH_ROWS = 1 << 12;
    /// More than two bytes say.
    private static final int ITEMS = 70_000;
    private static final int PLACES = 20_000;
    private static final int DAYS = 2_000;
    private static final long FIRST_MICROS = 694_224_000_000_000L; // 1992-01-01

    private static final Schema FACT = new Schema(List.of(
            field("at", DataType.TIMESTAMP, "timestamp without time zone"),
            field("day", DataType.INT32, "integer"),
            field("item", DataType.INT32, "integer"),
            field("place", DataType.INT32, "integer"),
            field("quantity", DataType.INT32, "integer"),
            field("price", DataType.INT32, "integer"),
            field("cost", DataType.INT32, "integer"),
            field("part", DataType.INT32, "integer"),
            field("ratio", DataType.FLOAT64, "double precision"),
            field("amount", DataType.INT64, "bigint"),
            field("mode", DataType.UTF8, "text"),
            field("note", DataType.UTF8, "text")));
    private static final Schema ITEM = new Schema(List.of(
            field("item_key", DataType.INT32, "integer"),
            field("brand", DataType.UTF8, "text"),
            field("category", DataType.UTF8, "text")));
    private static final Schema PLACE = new Schema(List.of(
            field("place_key", DataType.INT32, "integer"),
            field("city", DataType.UTF8, "text"),
            field("nation", DataType.UTF8, "text"),
            field("region", DataType.UTF8, "text")));
    private static final Schema DAY =
            new Schema(List.of(field("day_key", DataType.INT32, "integer"), field("year", DataType.INT32, "integer")));

    private WarmUpData() {}

    private static Field field(String name, DataType type, String pgType) {
        return new Field(name, type, false, pgType);
    }

    /// Sets one row's values, in the order of the columns.
    private interface Row {
        void append(int row, List<ColumnWriter> columns);
    }

    public static void write(Path folder) {
        RandomGenerator random = RandomGeneratorFactory.of("SplittableRandom").create(20261121);
        write(folder.resolve("fact.arrow"), FACT, Map.of("mode", 1), ROWS, (row, columns) -> {
            columns.get(0).appendInt64(FIRST_MICROS + row * 1_000_000_000L);
            columns.get(1).appendInt32(dayKey(random.nextInt(DAYS)));
            columns.get(2).appendInt32(1 + random.nextInt(ITEMS));
            columns.get(3).appendInt32(1 + random.nextInt(PLACES));
            columns.get(4).appendInt32(1 + random.nextInt(50));
            columns.get(5).appendInt32(random.nextInt(10_000));
            columns.get(6).appendInt32(random.nextInt(10_000));
            columns.get(7).appendInt32(random.nextInt(11));
            columns.get(8).appendFloat64(random.nextDouble());
            columns.get(9).appendInt64(random.nextLong(1_000_000));
            columns.get(10).appendUtf8("m" + random.nextInt(7));
            columns.get(11).appendUtf8("n" + random.nextInt(200) + (row % 3 == 0 ? " of many words" : ""));
        });
        write(folder.resolve("items.arrow"), ITEM, Map.of("brand", 2, "category", 1), ITEMS, (row, columns) -> {
            int brand = random.nextInt(1_000);
            columns.get(0).appendInt32(row + 1);
            columns.get(1).appendUtf8("b" + brand);
            columns.get(2).appendUtf8("c" + brand / 40);
        });
        write(
                folder.resolve("places.arrow"),
                PLACE,
                Map.of("city", 1, "nation", 1, "region", 1),
                PLACES,
                (row, columns) -> {
                    int city = random.nextInt(100);
                    columns.get(0).appendInt32(row + 1);
                    columns.get(1).appendUtf8("y" + city);
                    columns.get(2).appendUtf8("n" + city / 5);
                    columns.get(3).appendUtf8("r" + city / 20);
                });
        write(folder.resolve("days.arrow"), DAY, Map.of(), DAYS, (row, columns) -> {
            columns.get(0).appendInt32(dayKey(row));
            columns.get(1).appendInt32(1992 + row / 336);
        });
    }

    /// Days with gaps between the months, as in 19920131, 19920201.
    private static int dayKey(int day) {
        return (1992 + day / 336) * 10_000 + (1 + day % 336 / 28) * 100 + 1 + day % 28;
    }

    /// @param codeBytes of the columns that have a dictionary
    private static void write(Path file, Schema schema, Map<String, Integer> codeBytes, int rowCount, Row rows) {
        WriteOptions options = WriteOptions.PLAIN.withDurable(false);
        for (Map.Entry<String, Integer> column : codeBytes.entrySet()) {
            options = options.withDictionary(column.getKey(), column.getValue());
        }
        try (ArrowFileWriter writer = ArrowFileWriter.create(file, schema, options)) {
            for (int first = 0; first < rowCount; first += BATCH_ROWS) {
                int count = Math.min(BATCH_ROWS, rowCount - first);
                try (Arena arena = Arena.ofConfined()) {
                    List<ColumnWriter> columns = schema.fields().stream()
                            .map(field -> new ColumnWriter(field.type(), Allocator.of(arena), count))
                            .toList();
                    for (int row = first; row < first + count; row++) {
                        rows.append(row, columns);
                    }
                    writer.append(Batch.view(schema, ColumnWriter.finishAll(columns), count));
                }
            }
            writer.finish();
        }
    }
}
