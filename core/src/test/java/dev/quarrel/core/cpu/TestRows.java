package dev.quarrel.core.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.UuidWords;
import dev.quarrel.core.type.ValueOrder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;

/// Rows as lists of canonical values (those of a [Literal], null for NULL), and tables made of them.
public final class TestRows {
    private TestRows() {}

    public static List<Object> row(Object... values) {
        return Arrays.asList(values);
    }

    /// A table of the rows, cut into batches of the sizes given, round and round.
    public static MemoryTable table(String name, List<DataType> types, List<List<Object>> rows, int... batchRows) {
        List<Field> fields = new ArrayList<>();
        for (int column = 0; column < types.size(); column++) {
            fields.add(new Field("c" + column, types.get(column), true));
        }
        Schema schema = new Schema(fields);
        List<Batch> batches = new ArrayList<>();
        int from = 0;
        for (int index = 0; from < rows.size(); index++) {
            int count = Math.min(batchRows[index % batchRows.length], rows.size() - from);
            batches.add(batch(schema, rows.subList(from, from + count), index % 3));
            from += count;
        }
        return new MemoryTable("public", name, schema, batches);
    }

    /// @param textForm 0: plain text; otherwise text with a dictionary of the batch's own
    public static Batch batch(Schema schema, List<List<Object>> rows, int textForm) {
        List<Column> columns = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            DataType type = schema.type(column);
            int index = column;
            List<Object> values = new ArrayList<>();
            rows.forEach(row -> values.add(row.get(index)));
            columns.add(type.byteWidth() < 0 && textForm != 0 ? dictionaryColumn(type, values) : column(type, values));
        }
        return Batch.view(schema, columns, rows.size());
    }

    public static Column column(DataType type, List<Object> values) {
        ColumnWriter writer = new ColumnWriter(type, bytes -> Arena.ofAuto().allocate(bytes, 8), values.size());
        for (Object value : values) {
            writer.append(new Literal(type, value).value());
        }
        return writer.finish();
    }

    private static Column dictionaryColumn(DataType type, List<Object> values) {
        Map<Object, Integer> codes = new LinkedHashMap<>();
        MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, values.size() * 4L));
        ColumnWriter presence = new ColumnWriter(
                DataType.INT32, bytes -> Arena.ofAuto().allocate(bytes, 8), Math.max(1, values.size()));
        for (int row = 0; row < values.size(); row++) {
            if (values.get(row) == null) {
                presence.appendNull();
                continue;
            }
            Integer code = codes.computeIfAbsent(values.get(row), _ -> codes.size());
            segment.set(ValueLayout.JAVA_INT, row * 4L, code);
            presence.appendInt32(code);
        }
        Utf8Column entries = (Utf8Column) column(type, new ArrayList<>(codes.keySet()));
        return new DictionaryColumn(
                values.size(),
                segment,
                4,
                new Dictionary(entries),
                presence.finish().validity());
    }

    /// The value of a cell in canonical form, null for NULL.
    public static Object value(Column column, int row) {
        if (!column.validity().isPresent(row)) {
            return null;
        }
        return switch (column) {
            case BoolColumn bools -> (bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
            case Utf8Column text -> string(text, row);
            case DictionaryColumn codes -> string(codes.dictionary().values(), codes.code(row));
            case FixedColumn fixed -> fixed(fixed, row);
        };
    }

    private static Object string(Utf8Column column, int row) {
        if (column.type() instanceof DataType.Binary) {
            return Bytes.of(column.bytes(row));
        }
        return new String(column.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private static Object fixed(FixedColumn column, int row) {
        MemorySegment values = column.values();
        return switch (column.type()) {
            case DataType.Int16 _ -> (long) values.get(ValueLayout.JAVA_SHORT_UNALIGNED, row * 2L);
            case DataType.Int32 _, DataType.Date _ -> (long) values.get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L);
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ ->
                values.get(ValueLayout.JAVA_LONG_UNALIGNED, row * 8L);
            case DataType.Float32 _ -> values.get(ValueLayout.JAVA_FLOAT_UNALIGNED, row * 4L);
            case DataType.Float64 _ -> values.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, row * 8L);
            case DataType.Decimal(int _, int scale) -> decimal(values, row * 16L, scale);
            case DataType.Numeric _ ->
                decimal(values, row * 24L, values.get(ValueLayout.JAVA_INT_UNALIGNED, row * 24L + 16));
            case DataType.Uuid _ -> UuidWords.uuid(values, row * 16L);
            case DataType.Interval _ ->
                Interval.of(
                        values.get(ValueLayout.JAVA_LONG_UNALIGNED, row * 16L),
                        values.get(ValueLayout.JAVA_LONG_UNALIGNED, row * 16L + 8));
            case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ -> throw new IllegalArgumentException("width");
        };
    }

    private static BigDecimal decimal(MemorySegment values, long start, int scale) {
        BigInteger unscaled = Int128.toBigInteger(
                values.get(ValueLayout.JAVA_LONG_UNALIGNED, start + 8),
                values.get(ValueLayout.JAVA_LONG_UNALIGNED, start));
        return new BigDecimal(unscaled, scale);
    }

    /// All rows of a batch.
    public static List<List<Object>> rows(Batch batch) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < batch.rowCount(); row++) {
            List<Object> values = new ArrayList<>();
            for (Column column : batch.columns()) {
                values.add(value(column, row));
            }
            rows.add(values);
        }
        return rows;
    }

    /// A value from a small domain, or NULL now and then: so that keys repeat and match.
    public static Object random(DataType type, int domain, double nulls, Random random) {
        if (random.nextDouble() < nulls) {
            return null;
        }
        int number = random.nextInt(domain) - domain / 3;
        return switch (type) {
            case DataType.Bool _ -> number % 2 == 0;
            case DataType.Int16 _ -> (long) (short) number;
            case DataType.Int32 _, DataType.Date _ -> number * 7L;
            case DataType.Int64 _, DataType.Timestamp _ -> number * 3_000_000_019L;
            case DataType.Float32 _ ->
                number == 0 && random.nextBoolean() ? -0f : number == 1 ? Float.NaN : number / 4f;
            case DataType.Float64 _ ->
                number == 0 && random.nextBoolean() ? -0.0 : number == 1 ? Double.NaN : number / 7.0;
            case DataType.Decimal(int precision, int scale) ->
                new BigDecimal(BigInteger.valueOf(number).multiply(BigInteger.TEN.pow(precision > 20 ? 25 : 0)), scale);
            case DataType.Numeric _ -> BigDecimal.valueOf(number).setScale(random.nextInt(4));
            // Many differ in one half alone, and both halves have both signs.
            case DataType.Uuid _ -> new UUID((number >> 2) * 0x4000_0001_0000_0001L, number * 0x7000_0000_0000_0003L);
            case DataType.Binary _ -> {
                byte[] bytes = new byte[number % 5 == 0 ? 0 : 4 + Math.abs(number) % 13];
                for (int index = 0; index < bytes.length; index++) {
                    bytes[index] = (byte) (index < 4 ? number >> 8 * (3 - index) : 0x80);
                }
                yield Bytes.of(bytes);
            }
            case DataType.Time _ -> Math.floorMod(number * 3_000_000_019L, DataType.Time.MICROS_PER_DAY);
            // The same span in three forms.
            case DataType.Interval _ ->
                switch (random.nextInt(3)) {
                    case 0 -> new Interval(number, 0, 0);
                    case 1 -> new Interval(0, 30 * number, 0);
                    default -> new Interval(number - 1, 29, Interval.MICROS_PER_DAY);
                };
            case DataType.Utf8 _ -> number % 5 == 0 ? "" : "té" + "x".repeat(Math.abs(number) % 11) + number;
        };
    }

    public static List<List<Object>> random(
            List<DataType> types, int rowCount, int domain, double nulls, Random random) {
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < rowCount; row++) {
            List<Object> values = new ArrayList<>();
            for (DataType type : types) {
                values.add(random(type, domain, nulls, random));
            }
            rows.add(values);
        }
        return rows;
    }

    /// Fails with the first row that differs.
    public static void assertSame(List<List<Object>> actual, List<List<Object>> expected, String what) {
        for (int row = 0; row < Math.min(actual.size(), expected.size()); row++) {
            if (!actual.get(row).equals(expected.get(row))) { // there are millions
                assertThat(actual.get(row)).as("%s: row %d", what, row).isEqualTo(expected.get(row));
            }
        }
        assertThat(actual).as(what).hasSameSizeAs(expected);
    }

    /// The rows in one order, the same for the same rows, for rows that come in none.
    public static List<List<Object>> ordered(List<List<Object>> rows) {
        record Hashed(int hash, List<Object> row) {}
        Comparator<Hashed> order = Comparator.comparingInt(Hashed::hash); // texts of all rows would take long
        return rows.stream()
                .map(row -> new Hashed(row.hashCode(), row))
                .sorted(order.thenComparing(
                        Hashed::row,
                        (one, other) -> one.equals(other) ? 0 : one.toString().compareTo(other.toString())))
                .map(Hashed::row)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /// Whether a test can call the aggregate of a random column: variances of what fills 38 digits would overflow.
    public static boolean takes(AggregateKind kind, DataType argument) {
        return switch (kind) {
            // Random columns hold no sketches and no register counts.
            case STRING_AGG,
                    ARRAY_AGG,
                    ARRAYS_AGG,
                    PERCENTILE_CONT,
                    PERCENTILE_DISC,
                    PERCENTILES_CONT,
                    PERCENTILES_DISC,
                    MODE,
                    ANY_VALUE -> false; // OrderedAggregateTest has them
            case FIRST, LAST -> false; // SeriesQueryTest has them
            case COUNT_STAR, SINGLE_VALUE, HLL_COUNT, HLL_SKETCH, HLL_COMBINE, HLL_MERGE, LOCAL -> false;
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP ->
                kind.resultType(argument) != null
                        && !(argument instanceof DataType.Decimal(int precision, int _) && precision > 20);
            default -> kind.resultType(argument) != null;
        };
    }

    /// A call whose further arguments are the first columns that fit.
    public static AggregateCall call(AggregateKind kind, int column, int filter, List<DataType> types) {
        List<Integer> arguments = new ArrayList<>(List.of(column));
        for (DataType type : kind.furtherTypes(types.get(column))) {
            arguments.add(types.indexOf(type));
        }
        return new AggregateCall(kind, arguments, filter);
    }

    /// Orders values of one column, which [#canonical] made comparable.
    public static int compare(Object one, Object other) {
        return switch (one) {
            case Interval span ->
                Interval.compareSpans(
                        span.calendar(), span.micros(), ((Interval) other).calendar(), ((Interval) other).micros());
            default -> ValueOrder.compare(one, other);
        };
    }

    /// What is equal iff PostgreSQL says the values are equal.
    public static Object canonical(Object value) {
        return switch (value) {
            case null -> null;
            case Float number -> number == 0 ? (Object) 0f : number;
            case Double number -> number == 0 ? (Object) 0.0 : number;
            case Interval span ->
                new Interval(
                        0, (int) Interval.spanDays(span.calendar(), span.micros()), Interval.spanMicros(span.micros()));
            case BigDecimal number -> number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
            default -> value;
        };
    }
}
