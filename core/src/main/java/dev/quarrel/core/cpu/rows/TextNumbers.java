package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.number.LongTable;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Numbers for distinct texts: those of a dictionary it starts with (in its order), then new ones as they come.
///
/// Finding is for any number of threads at a time, adding for one.
final class TextNumbers {
    private final Reservation reservation;
    private final Dictionary first;
    private final LongTable byHash;
    private int[] sameHash = new int[16]; // the next code of the same hash, or -1
    private TextStore added;
    private int size;

    TextNumbers(DataType type, Reservation reservation) {
        this(type, reservation, null);
    }

    /// @param first its entries are distinct; null for none
    TextNumbers(DataType type, Reservation reservation, Dictionary first) {
        this.reservation = reservation;
        this.first = first;
        this.byHash = new LongTable(reservation, first == null ? 16 : first.size());
        if (first != null) {
            Utf8Column values = first.values();
            for (int code = 0; code < first.size(); code++) {
                long start = values.offset(code);
                number(values.data(), start, (int) (values.offset(code + 1) - start), true);
            }
            // An entry that was there before would shift the codes after it.
            if (size != first.size()) {
                throw new IllegalStateException("a dictionary with equal entries");
            }
        }
        this.added = new TextStore(type, reservation);
    }

    int size() {
        return size;
    }

    /// The code of a text, or -1.
    int code(MemorySegment data, long start, int length) {
        return number(data, start, length, false);
    }

    int codeOrAdd(MemorySegment data, long start, int length) {
        return number(data, start, length, true);
    }

    /// Codes of a tile's rows, in order; NULLs get 0.
    ///
    /// @param text of references
    /// @param add whether texts never seen get codes; else -1
    /// @return whether some row got -1
    boolean codes(TextVector text, int[] rows, int count, long[] out, boolean add) {
        boolean anyMissing = false;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            out[index] = text.isPresent(row) ? number(text.data(), text.start(row), text.length(row), add) : 0;
            anyMissing |= out[index] < 0;
        }
        return anyMissing;
    }

    private int number(MemorySegment data, long start, int length, boolean add) {
        long hash = KeyHash.ofBytes(data, start, length);
        int code = byHash.find(hash);
        int last = -1;
        while (code >= 0) {
            if (isEqual(code, data, start, length)) {
                return code;
            }
            last = code;
            code = sameHash[code];
        }
        if (!add) {
            return -1;
        }
        if (added != null) {
            added.appendValue(data, start, length);
        }
        return added(hash, last);
    }

    /// Numbers a text that is in place.
    ///
    /// @param last the last one of the same hash, or -1
    private int added(long hash, int last) {
        if (size == sameHash.length) {
            reservation.grow(sameHash.length * 4L);
            sameHash = Arrays.copyOf(sameHash, size * 2);
        }
        sameHash[size] = -1;
        if (last < 0) {
            byHash.findOrAdd(hash, size);
        } else {
            sameHash[last] = size;
        }
        return size++;
    }

    private int firstSize() {
        return first == null ? 0 : first.size();
    }

    private boolean isEqual(int code, MemorySegment data, long start, int length) {
        int own = code - firstSize();
        MemorySegment known = own < 0 ? first.values().data() : added.bytes(own);
        long knownStart = own < 0 ? first.values().offset(code) : added.start(own);
        long knownLength = own < 0 ? first.values().offset(code + 1) - knownStart : added.length(own);
        return knownLength == length
                && MemorySegment.mismatch(known, knownStart, knownStart + length, data, start, start + length) < 0;
    }

    /// All texts, code by code, as a dictionary of its own memory.
    Dictionary toDictionary(Allocator allocator) {
        TextStore all = added;
        if (first != null) {
            throw new IllegalStateException("these codes are those of a dictionary");
        }
        Utf8Column values = all.size() == 0
                ? new Utf8Column(
                        all.type(), 0, allocator.allocate(4), false, allocator.allocate(0), Validity.allPresent())
                : (Utf8Column) all.toColumn(null, 0, all.size(), allocator);
        return new Dictionary(values);
    }
}
