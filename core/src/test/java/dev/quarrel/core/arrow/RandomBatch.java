package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;

/// Batches of every type with edge values, and their rows as canonical Java values.
public final class RandomBatch {
    static final int[] EDGE_ROW_COUNTS = {0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025};

    public static final Schema EVERY_TYPE = Schema.of(
            new Field("b", DataType.BOOL, true),
            new Field("i2", DataType.INT16, true),
            new Field("i4", DataType.INT32, true),
            new Field("i8", DataType.INT64, true),
            new Field("f4", DataType.FLOAT32, true),
            new Field("f8", DataType.FLOAT64, true),
            new Field("d9", new DataType.Decimal(9, 2), true),
            new Field("d38", new DataType.Decimal(38, 10), true),
            new Field("day", DataType.DATE, true),
            new Field("ts", DataType.TIMESTAMP, true),
            new Field("tz", DataType.TIMESTAMPTZ, true),
            new Field("clock", DataType.TIME, true),
            new Field("span", DataType.INTERVAL, true),
            new Field("s", DataType.UTF8, true, "character varying(40)"),
            new Field("few", DataType.UTF8, true),
            new Field("u", DataType.UUID, true, "uuid"),
            new Field("bytes", DataType.BINARY, true, "bytea"));

    private static final String[] TEXTS = {
        "", "a", "b", "zebra", "Grüße", "日本語", "🏹", "a longer text than eight", "a longer text"
    };

    private RandomBatch() {}

    public static Batch of(Schema schema, int rowCount, double nullShare, Random random, Arena arena) {
        List<Column> columns = new ArrayList<>();
        for (Field field : schema.fields()) {
            ColumnWriter writer = new ColumnWriter(field.type(), Allocator.of(arena));
            for (int row = 0; row < rowCount; row++) {
                append(
                        writer,
                        field.nullable() && random.nextDouble() < nullShare ? null : value(field.type(), random));
            }
            columns.add(writer.finish());
        }
        return Batch.view(schema, columns, rowCount);
    }

    public static Object value(DataType type, Random random) {
        return switch (type) {
            case DataType.Bool _ -> random.nextBoolean();
            case DataType.Int16 _ -> (long) (short) edge(random);
            case DataType.Int32 _ -> (long) (int) edge(random);
            case DataType.Date _ -> (long) random.nextInt(-800_000, 800_000);
            case DataType.Int64 _ -> edge(random);
            case DataType.Timestamp _ -> random.nextLong(-70_000_000_000_000_000L, 70_000_000_000_000_000L);
            case DataType.Float32 _ -> (float) floating(random);
            case DataType.Float64 _ -> floating(random);
            case DataType.Decimal(int precision, int scale) ->
                new BigDecimal(
                        new BigInteger(120, random)
                                .mod(BigInteger.TEN.pow(random.nextInt(1, precision + 1)))
                                .multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1)),
                        scale);
            case DataType.Time _ -> random.nextLong(DataType.Time.MICROS_PER_DAY + 1);
            case DataType.Interval _ ->
                random.nextInt(9) == 0
                        ? Interval.MINUS_INFINITY
                        : new Interval(
                                random.nextInt(),
                                random.nextInt(),
                                random.nextLong(-9_000_000_000_000_000L, 9_000_000_000_000_000L));
            case DataType.Numeric _ when random.nextInt(10) == 0 -> SpecialNumeric.values()[random.nextInt(3)];
            case DataType.Numeric _ ->
                new BigDecimal(
                        new BigInteger(120, random)
                                .mod(BigInteger.TEN.pow(random.nextInt(1, 39)))
                                .multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1)),
                        random.nextInt(39));
            case DataType.Uuid _ -> new UUID(edge(random), edge(random));
            case DataType.Binary _ -> {
                byte[] bytes = new byte[random.nextInt(4) > 0 ? random.nextInt(4) : random.nextInt(200)];
                random.nextBytes(bytes);
                yield Bytes.of(bytes);
            }
            case DataType.Utf8 _ ->
                random.nextInt(4) > 0
                        ? TEXTS[random.nextInt(TEXTS.length)]
                        : "x".repeat(random.nextInt(200)) + random.nextInt(1000);
        };
    }

    private static long edge(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> Long.MAX_VALUE;
            case 1 -> Long.MIN_VALUE;
            case 2 -> Integer.MIN_VALUE;
            case 3 -> random.nextInt(-10, 10);
            default -> random.nextLong();
        };
    }

    private static double floating(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> Double.NaN;
            case 1 -> Double.NEGATIVE_INFINITY;
            case 2 -> -0.0;
            case 3 -> Double.MIN_VALUE;
            default -> random.nextGaussian() * 1e9;
        };
    }

    public static void append(ColumnWriter writer, Object value) {
        if (value == null) {
            writer.appendNull();
            return;
        }
        switch (writer.type()) {
            case DataType.Bool _ -> writer.appendBool((Boolean) value);
            case DataType.Int16 _ -> writer.appendInt16(((Long) value).shortValue());
            case DataType.Int32 _, DataType.Date _ -> writer.appendInt32(((Long) value).intValue());
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> writer.appendInt64((Long) value);
            case DataType.Float32 _ -> writer.appendFloat32((Float) value);
            case DataType.Float64 _ -> writer.appendFloat64((Double) value);
            case DataType.Decimal _ -> {
                BigInteger unscaled = ((BigDecimal) value).unscaledValue();
                writer.appendDecimal(unscaled.shiftRight(64).longValue(), unscaled.longValue());
            }
            case DataType.Interval _ -> writer.appendInterval((Interval) value);
            case DataType.Numeric _ when value instanceof SpecialNumeric special -> writer.appendNumeric(special);
            case DataType.Numeric _ -> {
                BigInteger unscaled = ((BigDecimal) value).unscaledValue();
                writer.appendNumeric(
                        unscaled.shiftRight(64).longValue(), unscaled.longValue(), ((BigDecimal) value).scale());
            }
            case DataType.Uuid _ -> writer.appendUuid((UUID) value);
            case DataType.Utf8 _ -> writer.appendUtf8((String) value);
            case DataType.Binary _ -> writer.appendBytes((Bytes) value);
        }
    }

    static Object value(Column column, int row) {
        if (!column.validity().isPresent(row)) {
            return null;
        }
        return switch (column) {
            case BoolColumn bools -> (bools.bits().get(ValueLayout.JAVA_BYTE, row / 8) >> row % 8 & 1) != 0;
            case Utf8Column bytes when bytes.type() instanceof DataType.Binary -> Bytes.of(bytes.bytes(row));
            case Utf8Column text -> new String(text.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            case DictionaryColumn coded -> value(coded.dictionary().values(), coded.code(row));
            case FixedColumn fixed ->
                switch (fixed.type()) {
                    case DataType.Int16 _ -> (long) fixed.values().get(INT16, row * 2L);
                    case DataType.Int32 _, DataType.Date _ ->
                        (long) fixed.values().get(INT32, row * 4L);
                    case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ ->
                        fixed.values().get(INT64, row * 8L);
                    case DataType.Float32 _ ->
                        Float.intBitsToFloat(fixed.values().get(INT32, row * 4L));
                    case DataType.Float64 _ ->
                        Double.longBitsToDouble(fixed.values().get(INT64, row * 8L));
                    case DataType.Decimal decimal -> {
                        byte[] bytes = fixed.values().asSlice(row * 16L, 16).toArray(ValueLayout.JAVA_BYTE);
                        for (int index = 0; index < 8; index++) {
                            byte swap = bytes[index];
                            bytes[index] = bytes[15 - index];
                            bytes[15 - index] = swap;
                        }
                        yield new BigDecimal(new BigInteger(bytes), decimal.scale());
                    }
                    case DataType.Uuid _ -> UuidWords.uuid(fixed.values(), row * 16L);
                    case DataType.Interval _ ->
                        Interval.of(
                                fixed.values().get(INT64, row * 16L),
                                fixed.values().get(INT64, row * 16L + 8));
                    case DataType.Numeric _
                    when SpecialNumeric.is(fixed.values().get(INT32, row * 24L + 16)) ->
                        SpecialNumeric.of(fixed.values().get(INT64, row * 24L));
                    case DataType.Numeric _ -> {
                        BigInteger unscaled = BigInteger.valueOf(fixed.values().get(INT64, row * 24L + 8))
                                .shiftLeft(64)
                                .or(BigInteger.valueOf(fixed.values().get(INT64, row * 24L))
                                        .and(BigInteger.TWO.pow(64).subtract(BigInteger.ONE)));
                        yield new BigDecimal(unscaled, fixed.values().get(INT32, row * 24L + 16));
                    }
                    case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ -> throw new IllegalArgumentException();
                };
        };
    }

    public static List<List<Object>> rows(Batch batch) {
        return IntStream.range(0, batch.rowCount())
                .mapToObj(row -> Arrays.asList(batch.columns().stream()
                        .map(column -> value(column, row))
                        .toArray()))
                .toList();
    }

    /// Of the columns that `*` stands for.
    public static List<List<Object>> rows(Table table) {
        return rows(table, IntStream.range(0, table.shownSchema().size()).toArray());
    }

    public static List<List<Object>> rows(Table table, int[] columns) {
        List<List<Object>> rows = new ArrayList<>();
        for (int batch = 0; batch < table.batchCount(); batch++) {
            try (Batch read = table.read(batch, columns)) {
                rows.addAll(rows(read));
            }
        }
        return rows;
    }
}
