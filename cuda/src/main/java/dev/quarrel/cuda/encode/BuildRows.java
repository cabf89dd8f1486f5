package dev.quarrel.cuda.encode;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/// The rows of a join's build side that the CPU has made, as the source of the device's tables.
///
/// - Memory: it keeps the batches it reads, and closes them.
public final class BuildRows implements BuildSide {
    /// Rows of a build side at most.
    public static final long MAX_ROWS = 1L << 26;

    private static final int MIN_DENSE = 1 << 24;
    /// Numbers that several keys may have together.
    private static final long MAX_NUMBERS = 1L << 62;

    private final BuildRows whole; // this, unless it is a part
    private final List<Batch> batches; // the whole's
    private final int[] firstRows; // of each batch
    private final List<DataType> types;
    private final int keyCount;
    private final int rowCount;
    private final KeyRange[] keyRanges; // of each key column, where there are several
    private final long[] keys; // by row: the key, or the number of several
    private final boolean[] hasKey;
    private final boolean isUnique;
    private final boolean isDense;
    private int[] nextRows; // once it is asked for
    private final long least;
    private final long greatest;
    private final Map<List<Object>, Numbering> numberings = new HashMap<>();

    /// - Errors: [NoKernel] for a build side that is too large, or joined by what has no kernel.
    public BuildRows(Materialized made) {
        if (made.rowCount() > MAX_ROWS) {
            throw new NoKernel("a build side of " + made.rowCount() + " rows has no CUDA kernel");
        }
        this.whole = this;
        this.batches = new ArrayList<>();
        this.types = made.pipeline().rowTypes();
        this.keyCount = ((Sink.HashBuild) made.pipeline().sink()).keys().size();
        this.rowCount = (int) made.rowCount();
        this.firstRows = new int[made.batchCount() + 1];
        try {
            for (int batch = 0; batch < made.batchCount(); batch++) {
                batches.add(made.batch(batch));
                firstRows[batch + 1] = firstRows[batch] + batches.get(batch).rowCount();
            }
            this.keys = new long[rowCount];
            this.hasKey = new boolean[rowCount];
            this.keyRanges = new KeyRange[keyCount];
            if (keyCount == 1 && isNumber(types.getFirst())) {
                read(0, keys, hasKey);
            } else if (keyCount > 1 && types.subList(0, keyCount).stream().allMatch(BuildRows::isNumber)) {
                packKeys();
            }
            long low = Long.MAX_VALUE;
            long high = Long.MIN_VALUE;
            for (int row = 0; row < rowCount; row++) {
                if (hasKey[row]) {
                    low = Math.min(low, keys[row]);
                    high = Math.max(high, keys[row]);
                }
            }
            this.least = low > high ? 0 : low;
            this.greatest = low > high ? -1 : high;
            long last = greatest - least; // -1 without keys; below 0 too where it overflows
            boolean isEmpty = low > high;
            this.isDense = isEmpty || last >= 0 && last < Math.max(MIN_DENSE, 8L * rowCount);
            this.isUnique = findsUnique();
        } catch (RuntimeException | Error problem) {
            close();
            throw problem;
        }
    }

    /// The rows of `whole`; those whose keys are out of bounds have none. A view, which closes nothing.
    private BuildRows(BuildRows whole, long least, long greatest) {
        this.whole = whole;
        this.batches = whole.batches;
        this.types = whole.types;
        this.keyCount = whole.keyCount;
        this.rowCount = whole.rowCount;
        this.firstRows = whole.firstRows;
        this.keyRanges = whole.keyRanges;
        this.keys = whole.keys;
        this.hasKey = new boolean[rowCount];
        for (int row = 0; row < rowCount; row++) {
            hasKey[row] = whole.hasKey[row] && keys[row] >= least && keys[row] <= greatest;
        }
        this.least = least;
        this.greatest = greatest;
        this.isDense = whole.isDense;
        this.isUnique = whole.isUnique;
    }

    @Override
    public BuildRows part(int number, int count) {
        if (number == 0) {
            return new BuildRows(this, least, bound(1, count));
        }
        long before = bound(number, count);
        return before == greatest
                ? new BuildRows(this, 0, -1) // no key is left, and what follows the last may be the first
                : new BuildRows(this, before + 1, bound(number + 1, count));
    }

    /// The last key of the parts before `number`.
    private long bound(int number, int count) {
        if (number == count) {
            return greatest;
        }
        if (isDense) {
            return least + width() * number / count - 1;
        }
        long[] sorted = new long[rowCount];
        int keyed = 0;
        for (int row = 0; row < rowCount; row++) {
            if (hasKey[row]) {
                sorted[keyed++] = keys[row];
            }
        }
        Arrays.sort(sorted, 0, keyed);
        return sorted[(int) ((long) keyed * number / count)];
    }

    @Override
    public int keyedRows() {
        int count = 0;
        for (boolean has : hasKey) {
            count += has ? 1 : 0;
        }
        return count;
    }

    /// Makes one number of several keys.
    private void packKeys() {
        long[] values = new long[rowCount];
        boolean[] present = new boolean[rowCount];
        Arrays.fill(hasKey, true);
        long stride = 1;
        for (int key = 0; key < keyCount; key++) {
            read(key, values, present);
            long low = Long.MAX_VALUE;
            long high = Long.MIN_VALUE;
            for (int row = 0; row < rowCount; row++) {
                if (present[row]) {
                    low = Math.min(low, values[row]);
                    high = Math.max(high, values[row]);
                }
            }
            boolean isEmpty = low > high;
            long count = isEmpty ? 0 : high - low + 1;
            if (count < 0 || high == Long.MAX_VALUE || count + 1 > MAX_NUMBERS / stride) {
                throw new NoKernel("a join by several columns of so wide ranges has no CUDA kernel");
            }
            keyRanges[key] = new KeyRange(isEmpty ? 0 : low, count, stride);
            for (int row = 0; row < rowCount; row++) {
                hasKey[row] &= present[row];
                keys[row] += hasKey[row] ? (values[row] - low) * stride : 0;
            }
            stride *= count + 1;
        }
    }

    private static boolean isNumber(DataType type) {
        return switch (type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _,
                    DataType.Decimal _,
                    DataType.Float64 _,
                    DataType.Float32 _ -> true;
            default -> false;
        };
    }

    private boolean findsUnique() {
        if (isDense) {
            long[] seen = new long[(int) ((greatest - least + 64) / 64)];
            for (int row = 0; row < rowCount; row++) {
                if (hasKey[row]) {
                    int at = (int) (keys[row] - least);
                    if ((seen[at >> 6] >>> at & 1) != 0) {
                        return false;
                    }
                    seen[at >> 6] |= 1L << at;
                }
            }
            return true;
        }
        long[] sorted = new long[rowCount];
        int count = 0;
        for (int row = 0; row < rowCount; row++) {
            if (hasKey[row]) {
                sorted[count++] = keys[row];
            }
        }
        Arrays.sort(sorted, 0, count);
        for (int at = 1; at < count; at++) {
            if (sorted[at] == sorted[at - 1]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int rowCount() {
        return rowCount;
    }

    @Override
    public boolean isUnique() {
        return isUnique;
    }

    @Override
    public KeyRange keyRange(int key) {
        return keyRanges[key];
    }

    /// By build row: the next one of the same key, or -1. A part has those of all keys.
    public int[] nextRows() {
        if (whole != this) {
            return whole.nextRows();
        }
        if (nextRows == null) {
            nextRows = findNextRows();
        }
        return nextRows;
    }

    @Override
    public int mostMatches() {
        int[] next = nextRows();
        int[] matches = new int[rowCount];
        int most = 1;
        for (int row = rowCount - 1; row >= 0; row--) {
            matches[row] = 1 + (next[row] >= 0 ? matches[next[row]] : 0);
            most = Math.max(most, matches[row]);
        }
        return most;
    }

    private int[] findNextRows() {
        int[] next = new int[rowCount];
        int size = Integer.highestOneBit(Math.max(8, rowCount)) * 4;
        int[] first = new int[size]; // by hash: a row, plus 1
        for (int row = rowCount - 1; row >= 0; row--) {
            next[row] = -1;
            if (hasKey[row]) {
                int at = (int) KeyHash.of(keys[row]) & size - 1;
                while (first[at] != 0 && keys[first[at] - 1] != keys[row]) {
                    at = at + 1 & size - 1;
                }
                next[row] = first[at] - 1;
                first[at] = row + 1;
            }
        }
        return next;
    }

    @Override
    public boolean isDense() {
        return isDense;
    }

    @Override
    public long least() {
        return least;
    }

    @Override
    public long width() {
        return greatest - least + 1;
    }

    public long key(int row) {
        return keys[row];
    }

    public boolean hasKey(int row) {
        return hasKey[row];
    }

    @Override
    public boolean hasNulls(int payload) {
        for (Batch batch : batches) {
            if (!batch.column(keyCount + payload).validity().isAllPresent()) {
                return true;
            }
        }
        return false;
    }

    public DataType type(int payload) {
        return types.get(keyCount + payload);
    }

    @Override
    public long[] bounds(int payload) {
        return switch (type(payload)) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Date _ -> {
                long[] values = new long[rowCount];
                boolean[] present = new boolean[rowCount];
                read(keyCount + payload, values, present);
                long low = Long.MAX_VALUE;
                long high = Long.MIN_VALUE;
                for (int row = 0; row < rowCount; row++) {
                    if (present[row]) {
                        low = Math.min(low, values[row]);
                        high = Math.max(high, values[row]);
                    }
                }
                yield low > high ? new long[] {0, 0} : new long[] {low, high};
            }
            default -> null;
        };
    }

    /// A column's values as int64: floats as their bits.
    ///
    /// - Errors: [NoKernel] for decimals beyond 64 bits.
    public void readPayload(int payload, long[] values, boolean[] present) {
        read(keyCount + payload, values, present);
    }

    private void read(int number, long[] values, boolean[] present) {
        for (int index = 0; index < batches.size(); index++) {
            Column column = batches.get(index).column(number);
            if (!(column instanceof FixedColumn fixed)) {
                throw new NoKernel("a join column of " + column.type() + " has no CUDA kernel");
            }
            for (int row = 0; row < column.rowCount(); row++) {
                int to = firstRows[index] + row;
                present[to] = column.validity().isPresent(row);
                if (present[to]) {
                    values[to] = value(fixed, row);
                }
            }
        }
    }

    private static long value(FixedColumn column, int row) {
        MemorySegment from = column.values();
        return switch (column.type().byteWidth()) {
            case 2 -> from.get(INT16, row * 2L);
            case 4 -> from.get(INT32, row * 4L);
            case 8 -> from.get(INT64, row * 8L);
            default -> {
                long low = from.get(INT64, row * 16L);
                if (!(column.type() instanceof DataType.Decimal) || from.get(INT64, row * 16L + 8) != low >> 63) {
                    throw new NoKernel("a decimal beyond 64 bits has no CUDA kernel");
                }
                yield low;
            }
        };
    }

    @Override
    public Numbering numbering(int payload, boolean needsNull) {
        return numberings.computeIfAbsent(List.of(payload, needsNull), _ -> number(payload, needsNull));
    }

    private Numbering number(int payload, boolean needsNull) {
        int[] numberOf = new int[rowCount];
        int[] rowOf = new int[16];
        Map<Object, Integer> numbers = new HashMap<>();
        Map<Dictionary, int[]> byCode = new IdentityHashMap<>();
        boolean hasNull = needsNull;
        int count = 0;
        for (int index = 0; index < batches.size(); index++) {
            Column column = batches.get(index).column(keyCount + payload);
            for (int row = 0; row < column.rowCount(); row++) {
                int to = firstRows[index] + row;
                if (!column.validity().isPresent(row)) {
                    hasNull = true;
                    numberOf[to] = -1;
                    continue;
                }
                int[] codes = null;
                int code = 0;
                if (column instanceof DictionaryColumn coded) {
                    codes = byCode.computeIfAbsent(coded.dictionary(), key -> new int[key.size()]);
                    code = coded.code(row);
                    if (codes[code] != 0) {
                        numberOf[to] = codes[code] - 1;
                        continue;
                    }
                }
                Integer number = numbers.get(content(column, row));
                if (number == null) {
                    number = count;
                    numbers.put(content(column, row), number);
                    rowOf = count == rowOf.length ? Arrays.copyOf(rowOf, count * 2) : rowOf;
                    rowOf[count++] = to;
                }
                numberOf[to] = number;
                if (codes != null) {
                    codes[code] = number + 1;
                }
            }
        }
        for (int row = 0; row < rowCount; row++) {
            numberOf[row] = numberOf[row] < 0 ? count : numberOf[row];
        }
        return new Numbering(numberOf, Arrays.copyOf(rowOf, count), hasNull ? count : -1);
    }

    private static Object content(Column column, int row) {
        return switch (column) {
            case FixedColumn fixed ->
                switch (fixed.type()) {
                    case DataType.Float32 _,
                            DataType.Float64 _,
                            DataType.Numeric _,
                            DataType.Interval _,
                            DataType.Uuid _ ->
                        throw new NoKernel("grouping by " + fixed.type() + " of a build side has no CUDA kernel");
                    default ->
                        fixed.type().byteWidth() == 16
                                ? List.of(
                                        fixed.values().get(INT64, row * 16L),
                                        fixed.values().get(INT64, row * 16L + 8))
                                : (Object) value(fixed, row);
                };
            case BoolColumn bools -> (bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
            case Utf8Column text -> text(text, row);
            case DictionaryColumn coded -> text(coded.dictionary().values(), coded.code(row));
        };
    }

    private static Object text(Utf8Column column, int row) {
        return java.nio.ByteBuffer.wrap(column.bytes(row).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public Column gather(int payload, int[] rows, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(type(payload), allocator, rows.length);
        for (int row : rows) {
            if (row < 0) {
                writer.appendNull();
                continue;
            }
            int batch = Arrays.binarySearch(firstRows, row);
            batch = batch < 0 ? -batch - 2 : batch;
            while (firstRows[batch + 1] == firstRows[batch]) {
                batch++;
            }
            ColumnGather.append(writer, batches.get(batch).column(keyCount + payload), row - firstRows[batch]);
        }
        return writer.finish();
    }

    @Override
    public void close() {
        if (whole == this) {
            batches.forEach(Batch::close);
            batches.clear();
        }
    }
}
