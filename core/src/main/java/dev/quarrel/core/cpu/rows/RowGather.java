package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Gathers rows that lie in several stores, in any order, into columns. Threads share it.
public final class RowGather {
    private static final int TILE_ROWS = 2048;
    private static final int STOP_CHECK_ROWS = 1 << 16;

    private final List<RowStore> stores;
    private final int columnCount;
    private final int shift;
    private final int mask;

    public RowGather(List<RowStore> stores, RowIds ids) {
        this.stores = stores;
        this.columnCount = stores.getFirst().types().size();
        this.shift = ids.shift();
        this.mask = ids.mask();
    }

    /// The columns of rows `ids[from]` to `ids[from + count - 1]`.
    public List<Column> columns(int[] ids, int from, int count, Allocator allocator) {
        List<Column> made = new ArrayList<>(columnCount);
        for (int column = 0; column < columnCount; column++) {
            stores.getFirst().reservation().budget().checkStop();
            made.add(column(column, ids, from, count, allocator));
        }
        return made;
    }

    /// Appends one column of rows `ids[from]` to `ids[from + count - 1]` to a store.
    public void append(int column, int[] ids, int from, int count, ValueStore to) {
        to.ensure(count);
        for (int done = 0; done < count; done += STOP_CHECK_ROWS) {
            stores.getFirst().reservation().budget().checkStop();
            appendSome(column, ids, from + done, Math.min(STOP_CHECK_ROWS, count - done), to);
        }
    }

    private void appendSome(int column, int[] ids, int from, int count, ValueStore to) {
        ValueStore[] values = new ValueStore[stores.size()];
        boolean allPresent = true;
        for (int store = 0; store < values.length; store++) {
            values[store] = stores.get(store).column(column);
            allPresent &= values[store].isAllPresent();
        }
        int start = to.size();
        if (to instanceof TextStore text) {
            appendTexts(values, ids, from, count, text);
            return;
        }
        to.grow(count);
        switch (to) {
            case BoolStore bools -> {
                for (int index = 0; index < count; index++) {
                    int id = ids[from + index];
                    bools.set(start + index, ((BoolStore) values[id >>> shift]).get(id & mask));
                }
            }
            case IntStore ints -> {
                for (int index = 0; index < count; index++) {
                    int id = ids[from + index];
                    ints.values()[start + index] = ((IntStore) values[id >>> shift]).values()[id & mask];
                }
            }
            case LongStore longs -> {
                for (int index = 0; index < count; index++) {
                    int id = ids[from + index];
                    longs.values()[start + index] = ((LongStore) values[id >>> shift]).values()[id & mask];
                }
            }
            case FloatStore floats -> {
                for (int index = 0; index < count; index++) {
                    int id = ids[from + index];
                    floats.values()[start + index] = ((FloatStore) values[id >>> shift]).values()[id & mask];
                }
            }
            case DoubleStore doubles -> {
                for (int index = 0; index < count; index++) {
                    int id = ids[from + index];
                    doubles.values()[start + index] = ((DoubleStore) values[id >>> shift]).values()[id & mask];
                }
            }
            case DecimalStore decimals -> {
                for (int index = 0; index < count; index++) {
                    int id = ids[from + index];
                    DecimalStore store = (DecimalStore) values[id >>> shift];
                    decimals.high()[start + index] = store.high()[id & mask];
                    decimals.low()[start + index] = store.low()[id & mask];
                    if (store.scale() != null) {
                        decimals.scale()[start + index] = store.scale()[id & mask];
                    }
                }
            }
            case TextStore _ -> throw new IllegalStateException("text has its own way");
        }
        if (!allPresent) {
            for (int index = 0; index < count; index++) {
                int id = ids[from + index];
                if (!values[id >>> shift].isPresent(id & mask)) {
                    to.setNull(start + index);
                }
            }
        }
    }

    private void appendTexts(ValueStore[] values, int[] ids, int from, int count, TextStore to) {
        for (int index = 0; index < count; index++) {
            int id = ids[from + index];
            to.append(values[id >>> shift], id & mask, 1);
        }
    }

    private Column column(int column, int[] ids, int from, int count, Allocator allocator) {
        ValueStore[] values = new ValueStore[stores.size()];
        for (int store = 0; store < values.length; store++) {
            values[store] = stores.get(store).column(column);
        }
        Validity present = validity(values, ids, from, count, allocator);
        return switch (values[0]) {
            case BoolStore _ -> bools(values, ids, from, count, present, allocator);
            case IntStore _ -> ints(values, ids, from, count, present, allocator);
            case LongStore _ -> longs(values, ids, from, count, present, allocator);
            case FloatStore _ -> floats(values, ids, from, count, present, allocator);
            case DoubleStore _ -> doubles(values, ids, from, count, present, allocator);
            case DecimalStore _ -> decimals(values, ids, from, count, present, allocator);
            case TextStore _ -> texts(values, ids, from, count, present, allocator);
        };
    }

    private Validity validity(ValueStore[] values, int[] ids, int from, int count, Allocator allocator) {
        boolean allPresent = true;
        for (ValueStore store : values) {
            allPresent &= store.isAllPresent();
        }
        if (allPresent || count == 0) {
            return Validity.allPresent();
        }
        long nulls = 0;
        MemorySegment bits = allocator.allocate(Bits.words(count) * 8L);
        for (int base = 0; base < count; base += 64) {
            long word = 0;
            int end = Math.min(64, count - base);
            for (int bit = 0; bit < end; bit++) {
                int id = ids[from + base + bit];
                word |= values[id >>> shift].isPresent(id & mask) ? 1L << bit : 0;
            }
            nulls += end - Long.bitCount(word);
            bits.set(INT64, base >>> 3, word);
        }
        return Validity.of(bits, count, nulls);
    }

    private Column bools(ValueStore[] values, int[] ids, int from, int count, Validity present, Allocator allocator) {
        MemorySegment out = allocator.allocate(Bits.words(count) * 8L);
        for (int base = 0; base < count; base += 64) {
            long word = 0;
            int end = Math.min(64, count - base);
            for (int bit = 0; bit < end; bit++) {
                int id = ids[from + base + bit];
                word |= ((BoolStore) values[id >>> shift]).get(id & mask) ? 1L << bit : 0;
            }
            out.set(INT64, base >>> 3, word);
        }
        return new BoolColumn(count, out, present);
    }

    private Column ints(ValueStore[] values, int[] ids, int from, int count, Validity present, Allocator allocator) {
        DataType type = values[0].type();
        int[][] arrays = new int[values.length][];
        for (int store = 0; store < arrays.length; store++) {
            arrays[store] = ((IntStore) values[store]).values();
        }
        if (type instanceof DataType.Int16) {
            MemorySegment out = allocator.allocate(count * 2L);
            for (int index = 0; index < count; index++) {
                int id = ids[from + index];
                out.set(INT16, index * 2L, (short) arrays[id >>> shift][id & mask]);
            }
            return new FixedColumn(type, count, out, present);
        } else {
            return new FixedColumn(type, count, ints(arrays, ids, from, count, allocator), present);
        }
    }

    private MemorySegment ints(int[][] arrays, int[] ids, int from, int count, Allocator allocator) {
        MemorySegment out = allocator.allocate(count * 4L);
        int[] tile = new int[Math.min(TILE_ROWS, count)];
        for (int start = 0; start < count; start += TILE_ROWS) {
            int rows = Math.min(TILE_ROWS, count - start);
            for (int index = 0; index < rows; index++) {
                int id = ids[from + start + index];
                tile[index] = arrays[id >>> shift][id & mask];
            }
            MemorySegment.copy(tile, 0, out, INT32, start * 4L, rows);
        }
        return out;
    }

    private Column longs(ValueStore[] values, int[] ids, int from, int count, Validity present, Allocator allocator) {
        long[][] arrays = new long[values.length][];
        for (int store = 0; store < arrays.length; store++) {
            arrays[store] = ((LongStore) values[store]).values();
        }
        MemorySegment out = allocator.allocate(count * 8L);
        long[] tile = new long[Math.min(TILE_ROWS, count)];
        for (int start = 0; start < count; start += TILE_ROWS) {
            int rows = Math.min(TILE_ROWS, count - start);
            for (int index = 0; index < rows; index++) {
                int id = ids[from + start + index];
                tile[index] = arrays[id >>> shift][id & mask];
            }
            MemorySegment.copy(tile, 0, out, INT64, start * 8L, rows);
        }
        return new FixedColumn(values[0].type(), count, out, present);
    }

    private Column floats(ValueStore[] values, int[] ids, int from, int count, Validity present, Allocator allocator) {
        MemorySegment out = allocator.allocate(count * 4L);
        for (int index = 0; index < count; index++) {
            int id = ids[from + index];
            out.set(FLOAT32, index * 4L, ((FloatStore) values[id >>> shift]).values()[id & mask]);
        }
        return new FixedColumn(values[0].type(), count, out, present);
    }

    private Column doubles(ValueStore[] values, int[] ids, int from, int count, Validity present, Allocator allocator) {
        double[][] arrays = new double[values.length][];
        for (int store = 0; store < arrays.length; store++) {
            arrays[store] = ((DoubleStore) values[store]).values();
        }
        MemorySegment out = allocator.allocate(count * 8L);
        double[] tile = new double[Math.min(TILE_ROWS, count)];
        for (int start = 0; start < count; start += TILE_ROWS) {
            int rows = Math.min(TILE_ROWS, count - start);
            for (int index = 0; index < rows; index++) {
                int id = ids[from + start + index];
                tile[index] = arrays[id >>> shift][id & mask];
            }
            MemorySegment.copy(tile, 0, out, FLOAT64, start * 8L, rows);
        }
        return new FixedColumn(values[0].type(), count, out, present);
    }

    private Column decimals(
            ValueStore[] values, int[] ids, int from, int count, Validity present, Allocator allocator) {
        DataType type = values[0].type();
        int width = type.byteWidth();
        MemorySegment out = allocator.allocate((long) count * width);
        for (int index = 0; index < count; index++) {
            int id = ids[from + index];
            DecimalStore store = (DecimalStore) values[id >>> shift];
            int row = id & mask;
            long start = (long) index * width;
            if (type instanceof DataType.Uuid) {
                UuidWords.put(out, start, store.high()[row], store.low()[row]);
                continue;
            }
            out.set(INT64, start, store.low()[row]);
            out.set(INT64, start + 8, store.high()[row]);
            if (store.scale() != null) {
                out.set(INT64, start + 16, store.scale()[row] & 0xFFFF_FFFFL);
            }
        }
        return new FixedColumn(type, count, out, present);
    }

    private Column texts(ValueStore[] values, int[] ids, int from, int count, Validity present, Allocator allocator) {
        Dictionary shared = sharedDictionary(values);
        if (shared != null) {
            int[][] arrays = new int[values.length][];
            for (int store = 0; store < arrays.length; store++) {
                arrays[store] = ((TextStore) values[store]).codes();
            }
            MemorySegment codes = ints(arrays, ids, from, count, allocator);
            return new DictionaryColumn(count, codes, 4, shared, present);
        }
        long byteCount = 0;
        for (int index = 0; index < count; index++) {
            int id = ids[from + index];
            TextStore store = (TextStore) values[id >>> shift];
            byteCount += store.isPresent(id & mask) ? store.length(id & mask) : 0;
        }
        MemorySegment offsets = allocator.allocate((count + 1L) * 4);
        MemorySegment out = allocator.allocate(byteCount);
        long end = 0;
        for (int index = 0; index < count; index++) {
            int id = ids[from + index];
            int row = id & mask;
            TextStore store = (TextStore) values[id >>> shift];
            if (store.isPresent(row)) {
                int length = store.length(row);
                MemorySegment.copy(store.bytes(row), store.start(row), out, end, length);
                end += length;
            }
            offsets.set(INT32, (index + 1L) * 4, Math.toIntExact(end));
        }
        return new Utf8Column(values[0].type(), count, offsets, false, out, present);
    }

    /// The dictionary of all stores that hold rows, or null.
    static Dictionary sharedDictionary(ValueStore[] values) {
        Dictionary shared = null;
        for (ValueStore value : values) {
            TextStore text = (TextStore) value;
            if (text.size() == 0) {
                continue;
            }
            if (text.dictionary() == null || shared != null && shared != text.dictionary()) {
                return null;
            }
            shared = text.dictionary();
        }
        return shared;
    }
}
