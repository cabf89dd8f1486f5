package dev.quarrel.core.cpu.elements;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Random lists as a file has them: subscripts and `= ANY` give of each row what a loop over its list gives.
class PackedArraysTest {
    private static final int TILE_ROWS = 256;
    private static final int CASES = Integer.getInteger("count", 60);

    private final long seed = Long.getLong("quarrel.seed", System.nanoTime() >>> 10);
    private final Random random = new Random(seed);
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = PgType.class,
            names = {"INT2", "INT4", "INT8", "FLOAT4", "FLOAT8", "TEXT"})
    void rowsHaveWhatTheirListsHave(PgType element) {
        for (int index = 0; index < CASES; index++) {
            check(element, "seed " + seed + ", case " + index + ", " + element);
        }
    }

    /// @param lists null for a NULL list, which has `hidden` elements in memory
    private record Lists(List<List<Object>> lists, List<List<Object>> hidden) {
        List<Object> stored(int row) {
            return lists.get(row) == null ? hidden.get(row) : lists.get(row);
        }
    }

    private void check(PgType element, String as) {
        boolean hasNulls = random.nextBoolean();
        Lists lists = lists(element, 1 + random.nextInt(TILE_ROWS), hasNulls);
        int rowCount = lists.lists().size();
        boolean isPresenceKnown = hasNulls || random.nextInt(4) == 0;
        List<Column> columns = new ArrayList<>(columns(element, lists));
        if (isPresenceKnown) {
            columns.add(presence(lists, hasNulls));
        }
        List<Field> fields = columns.stream()
                .map(column -> new Field("c" + columns.indexOf(column), column.type(), true))
                .toList();
        BatchInput input = new BatchInput(fields.stream().map(Field::type).toList(), TILE_ROWS);
        Batch batch = Batch.owning(new Schema(fields), columns, rowCount, () -> {});
        int first = random.nextInt(rowCount);
        int count = 1 + random.nextInt(rowCount - first);
        input.moveTo(batch, first, count);
        Mask mask = mask(count);
        if (mask.isEmpty()) {
            return;
        }
        if (random.nextBoolean()) { // then all rows are loaded, although few are asked for
            Mask all = new Mask(TILE_ROWS);
            all.setAll(count);
            IntStream.range(0, columns.size()).forEach(column -> input.load(column, all));
        }
        List<Vector> vectors = new ArrayList<>();
        for (int column = 0; column < columns.size(); column++) {
            vectors.add(input.load(column, mask));
        }
        for (boolean isNullWhereUnknown : isPresenceKnown ? new boolean[] {true, false} : new boolean[] {true}) {
            Object[] wanted = wanted(element, count);
            Vector out = run(
                    new PackedSearch(element, isPresenceKnown, isNullWhereUnknown)::compute,
                    vectors,
                    vector(element.dataType(), wanted),
                    mask,
                    new boolean[count],
                    DataType.BOOL);
            for (int row : rows(mask)) {
                List<Object> list = lists.lists().get(first + row);
                assertThat(out.value(row))
                        .as("%s: %s = ANY %s", as, wanted[row], list)
                        .isEqualTo(any(list, wanted[row], isNullWhereUnknown));
            }
        }
        Object[] subscripts = subscripts(count);
        boolean[] absent = new boolean[count];
        for (int row = 0; row < count; row++) { // strict without presence: rows with a NULL are left out
            absent[row] = !isPresenceKnown && (lists.lists().get(first + row) == null || subscripts[row] == null);
        }
        Vector out = run(
                new PackedGet(element, isPresenceKnown)::compute,
                vectors,
                vector(DataType.INT32, subscripts),
                mask,
                absent,
                element.dataType());
        for (int row : rows(mask)) {
            List<Object> list = lists.lists().get(first + row);
            Object value = absent[row] ? null : element(list, (Long) subscripts[row]);
            assertThat(out.value(row))
                    .as("%s: %s[%s]", as, list, subscripts[row])
                    .isEqualTo(value);
        }
    }

    private static int[] rows(Mask mask) {
        return Arrays.copyOf(mask.indexes(), mask.count());
    }

    /// @param absent rows that the function is not asked for
    private static Vector run(
            BiConsumer<Arguments, Vector> function,
            List<Vector> vectors,
            Vector last,
            Mask mask,
            boolean[] absent,
            DataType type) {
        Arguments in = new Arguments(vectors.size() + 1, false);
        for (int index = 0; index < vectors.size(); index++) {
            in.set(index, vectors.get(index));
        }
        in.set(vectors.size(), last);
        Vector out = Vector.of(type, TILE_ROWS);
        for (int row = 0; row < absent.length; row++) {
            if (absent[row]) {
                out.setAbsent(row);
            }
        }
        if (out instanceof TextVector texts) {
            texts.startBuffer();
        }
        int[] asked = Arrays.stream(rows(mask)).filter(row -> !absent[row]).toArray();
        int[] room = Arrays.copyOf(asked, TILE_ROWS);
        in.overVectors(room, asked.length);
        function.accept(in, out);
        return out;
    }

    private static Object element(List<Object> list, Long subscript) {
        return list == null || subscript == null || subscript < 1 || subscript > list.size()
                ? null
                : list.get((int) (subscript - 1));
    }

    private static Boolean any(List<Object> list, Object wanted, boolean isNullWhereUnknown) {
        if (list == null || wanted == null && !list.isEmpty()) {
            return null;
        }
        if (list.stream().anyMatch(each -> each != null && isEqual(each, wanted))) {
            return true;
        }
        return isNullWhereUnknown && list.stream().anyMatch(Objects::isNull) ? null : Boolean.FALSE;
    }

    private static boolean isEqual(Object one, Object other) {
        return switch (one) {
            case Float number -> Float.compare(number + 0.0f, (Float) other + 0.0f) == 0;
            case Double number -> Double.compare(number + 0.0, (Double) other + 0.0) == 0;
            default -> one.equals(other);
        };
    }

    // Data

    private Lists lists(PgType element, int rowCount, boolean hasNulls) {
        int most =
                switch (random.nextInt(4)) {
                    case 0 -> 4;
                    case 1 -> 100;
                    case 2 -> 3 * PackedElements.BLOCK;
                    default -> 20;
                };
        boolean hasNullLists = random.nextBoolean();
        List<List<Object>> lists = new ArrayList<>();
        List<List<Object>> hidden = new ArrayList<>();
        for (int row = 0; row < rowCount; row++) {
            int length = most > 1000 && random.nextInt(20) > 0 ? random.nextInt(3) : random.nextInt(most + 1);
            List<Object> list = new ArrayList<>();
            int values = 1 + random.nextInt(30);
            for (int index = 0; index < length; index++) {
                list.add(hasNulls && random.nextInt(8) == 0 ? null : value(element, values));
            }
            boolean isNull = hasNullLists && random.nextInt(6) == 0;
            lists.add(isNull ? null : list);
            hidden.add(random.nextBoolean() ? list : List.of());
        }
        return new Lists(lists, hidden);
    }

    private Object value(PgType element, int values) {
        int number = random.nextInt(values) - 3;
        return switch (element) {
            case INT2, INT4, INT8 -> (long) number;
            case FLOAT4 -> number == -3 ? Float.NaN : number == -2 ? -0.0f : (float) number;
            case FLOAT8 -> number == -3 ? Double.NaN : number == -2 ? -0.0 : (double) number;
            case TEXT -> "abcde".repeat(2).substring(0, Math.max(0, number) % 8) + (number > 10 ? "x" : "");
            default -> throw new IllegalArgumentException(element.toString());
        };
    }

    private Object[] wanted(PgType element, int count) {
        Object[] wanted = new Object[count];
        if (random.nextBoolean()) {
            Arrays.fill(wanted, random.nextInt(10) == 0 ? null : value(element, 30));
        } else {
            Arrays.setAll(wanted, _ -> random.nextInt(10) == 0 ? null : value(element, 30));
        }
        return wanted;
    }

    private Object[] subscripts(int count) {
        Object[] subscripts = new Object[count];
        boolean isOne = random.nextBoolean();
        Object one = subscript();
        Arrays.setAll(subscripts, _ -> isOne ? one : subscript());
        return subscripts;
    }

    private Object subscript() {
        return switch (random.nextInt(12)) {
            case 0 -> null;
            case 1 -> 0L;
            case 2 -> -1L;
            case 3 -> (long) Integer.MAX_VALUE;
            case 4 -> (long) random.nextInt(5000);
            default -> 1L + random.nextInt(6);
        };
    }

    /// A constant where all are the same.
    private Vector vector(DataType type, Object[] values) {
        Literal literal = new Literal(type, values[0]);
        if (Arrays.stream(values).distinct().count() == 1 && random.nextInt(4) > 0) {
            return Vector.constant(literal, TILE_ROWS);
        }
        Vector vector = Vector.of(type, TILE_ROWS);
        if (vector instanceof TextVector texts) {
            texts.startBuffer();
        }
        for (int row = 0; row < values.length; row++) {
            set(vector, row, values[row]);
        }
        return vector;
    }

    private static void set(Vector vector, int row, Object value) {
        if (value == null) {
            vector.setAbsent(row);
            return;
        }
        switch (vector) {
            case IntVector numbers -> numbers.values()[row] = ((Long) value).intValue();
            case LongVector numbers -> numbers.values()[row] = (Long) value;
            case FloatVector numbers -> numbers.values()[row] = (Float) value;
            case DoubleVector numbers -> numbers.values()[row] = (Double) value;
            case TextVector texts -> {
                byte[] bytes = ((String) value).getBytes(StandardCharsets.UTF_8);
                texts.append(row, bytes, 0, bytes.length);
            }
            default -> throw new IllegalArgumentException(vector.type().toString());
        }
    }

    private Mask mask(int count) {
        Mask mask = new Mask(TILE_ROWS);
        mask.setAll(count);
        int one = List.of(1, 1, 2, 3, 20).get(random.nextInt(5));
        if (one > 1) {
            int[] rows = IntStream.range(0, count)
                    .filter(_ -> random.nextInt(one) == 0)
                    .toArray();
            mask.setIndexes(rows, rows.length, count);
        }
        return mask;
    }

    private List<Column> columns(PgType element, Lists lists) {
        int rowCount = lists.lists().size();
        List<Object> all = new ArrayList<>();
        int before = random.nextInt(3);
        for (int index = 0; index < before; index++) { // of lists before the first
            all.add(value(element, 5));
        }
        int[] starts = new int[rowCount + 1];
        for (int row = 0; row < rowCount; row++) {
            starts[row] = all.size();
            all.addAll(lists.stored(row));
        }
        starts[rowCount] = all.size();
        Validity validity = validity(lists.lists());
        if (!PackedArrays.hasEnds(element)) {
            int width = element.dataType().byteWidth();
            MemorySegment values = arena.allocate(Math.max(1, (long) all.size() * width));
            for (int index = 0; index < all.size(); index++) {
                set(element, values, index, all.get(index));
            }
            return List.of(column(starts, width, values, validity));
        }
        MemorySegment ends = arena.allocate(4L * all.size() + 1);
        int[] places = new int[all.size() + 1];
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < all.size(); index++) {
            text.append(all.get(index) == null ? "" : all.get(index));
            places[index + 1] = text.length();
            ends.set(INT32, 4L * index, text.length());
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        MemorySegment data = arena.allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, 0, bytes.length);
        int[] textStarts = Arrays.stream(starts).map(start -> places[start]).toArray();
        return List.of(column(textStarts, 1, data, validity), column(starts, 4, ends, validity));
    }

    private void set(PgType element, MemorySegment values, int index, Object value) {
        switch (element) {
            case INT2 -> values.set(INT16, index * 2L, value == null ? -3 : ((Long) value).shortValue());
            case INT4 -> values.set(INT32, index * 4L, value == null ? -3 : ((Long) value).intValue());
            case INT8 -> values.set(INT64, index * 8L, value == null ? -3 : (Long) value);
            case FLOAT4 -> values.set(FLOAT32, index * 4L, value == null ? Float.NaN : (Float) value);
            case FLOAT8 -> values.set(FLOAT64, index * 8L, value == null ? Double.NaN : (Double) value);
            default -> throw new IllegalArgumentException(element.toString());
        }
    }

    private Column presence(Lists lists, boolean hasNulls) {
        int rowCount = lists.lists().size();
        if (!hasNulls) { // NULL wherever no element of the batch is
            Validity none = Validity.of(arena.allocate((rowCount + 7) / 8), rowCount, rowCount);
            return column(new int[rowCount + 1], 1, MemorySegment.NULL, none);
        }
        List<Object> all = new ArrayList<>();
        int[] starts = new int[rowCount + 1];
        for (int row = 0; row < rowCount; row++) {
            all.addAll(lists.stored(row));
            starts[row + 1] = all.size();
        }
        MemorySegment values = arena.allocate(all.size() + 1);
        for (int index = 0; index < all.size(); index++) {
            values.set(ValueLayout.JAVA_BYTE, index, (byte) (all.get(index) == null ? 0 : 1));
        }
        return column(starts, 1, values, validity(lists.lists()));
    }

    private Utf8Column column(int[] starts, int width, MemorySegment values, Validity validity) {
        boolean isLarge = random.nextInt(5) == 0;
        MemorySegment offsets = arena.allocate(starts.length * (isLarge ? 8L : 4L));
        for (int row = 0; row < starts.length; row++) {
            if (isLarge) {
                offsets.setAtIndex(INT64, row, (long) starts[row] * width);
            } else {
                offsets.setAtIndex(INT32, row, starts[row] * width);
            }
        }
        return new Utf8Column(DataType.BINARY, starts.length - 1, offsets, isLarge, values, validity);
    }

    private Validity validity(List<List<Object>> lists) {
        MemorySegment bits = arena.allocate((lists.size() + 7) / 8);
        int absent = 0;
        for (int row = 0; row < lists.size(); row++) {
            absent += lists.get(row) == null ? 1 : 0;
            byte before = bits.get(ValueLayout.JAVA_BYTE, row >>> 3);
            int bit = lists.get(row) == null ? 0 : 1 << (row & 7);
            bits.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) (before | bit));
        }
        return Validity.of(bits, lists.size(), absent);
    }
}
