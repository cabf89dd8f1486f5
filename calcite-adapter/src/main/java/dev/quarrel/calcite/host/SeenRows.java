package dev.quarrel.calcite.host;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.memory.PooledMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// The set of all rows that came so far: a hash table of their keys, which lie one after another outside the heap.
///
/// - Memory: accounted to the budget until `close`.
final class SeenRows implements AutoCloseable {
    private static final int PAGE_BYTES = 1 << 18;
    /// A slot is the key's address plus 1 in the low bits, and so many bits of its hash above; 0 for none.
    private static final int ADDRESS_BITS = 40;

    private static final long ADDRESS = (1L << ADDRESS_BITS) - 1;

    private final MemoryBudget budget;
    private final RowKey key;
    private final PooledMemory memory = new PooledMemory();
    private final List<MemorySegment> pages = new ArrayList<>();
    private final List<Long> firstBytes = new ArrayList<>(); // the address at which each page begins
    private long[] slots = new long[64];
    private int count;
    private long end; // the address behind the last key
    private long reserved;

    SeenRows(MemoryBudget budget, RowKey key) {
        this.budget = budget;
        this.key = key;
    }

    /// Whether the row is new; it is not afterwards.
    ///
    /// - Errors: 53200 when the budget does not hold it.
    boolean add(Batch batch, int row) {
        key.read(batch, row);
        int hash = key.hash();
        int place = hash & slots.length - 1;
        while (slots[place] != 0) {
            if (slots[place] >>> ADDRESS_BITS == tag(hash) && isAt((slots[place] & ADDRESS) - 1)) {
                return false;
            }
            place = place + 1 & slots.length - 1;
        }
        slots[place] = tag(hash) << ADDRESS_BITS | append(hash) + 1;
        count++;
        if (count > slots.length / 2) {
            grow();
        }
        return true;
    }

    private static long tag(int hash) {
        return hash >>> 8;
    }

    /// A key is its hash, its length, its bytes.
    private boolean isAt(long address) {
        MemorySegment page = pages.get(pageOf(address));
        long at = address - firstBytes.get(pageOf(address));
        int length = page.get(ValueLayout.JAVA_INT_UNALIGNED, at + Integer.BYTES);
        return length == key.length()
                && MemorySegment.mismatch(
                                page,
                                at + 2 * Integer.BYTES,
                                at + 2 * Integer.BYTES + length,
                                MemorySegment.ofArray(key.bytes()),
                                0,
                                length)
                        == -1;
    }

    private int pageOf(long address) {
        int low = 0;
        int high = pages.size() - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (firstBytes.get(middle) <= address) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private long append(int hash) {
        int bytes = key.length() + 2 * Integer.BYTES;
        long free = pages.isEmpty() ? 0 : firstBytes.getLast() + pages.getLast().byteSize() - end;
        if (free < bytes) {
            // Few rows take little: pages grow to their full size.
            long pageBytes = Math.max(bytes, Math.min(PAGE_BYTES, Math.max(1024, end)));
            reserve(pageBytes);
            pages.add(memory.allocateUnset(pageBytes));
            end += free;
            firstBytes.add(end);
        }
        MemorySegment page = pages.getLast();
        long at = end - firstBytes.getLast();
        page.set(ValueLayout.JAVA_INT_UNALIGNED, at, hash);
        page.set(ValueLayout.JAVA_INT_UNALIGNED, at + Integer.BYTES, key.length());
        MemorySegment.copy(key.bytes(), 0, page, ValueLayout.JAVA_BYTE, at + 2 * Integer.BYTES, key.length());
        long address = end;
        end += bytes;
        return address;
    }

    private void grow() {
        reserve(slots.length * (long) Long.BYTES);
        long[] old = slots;
        slots = new long[2 * old.length];
        for (long slot : old) {
            if (slot != 0) {
                long address = (slot & ADDRESS) - 1;
                int page = pageOf(address);
                int hash = pages.get(page).get(ValueLayout.JAVA_INT_UNALIGNED, address - firstBytes.get(page));
                int place = hash & slots.length - 1;
                while (slots[place] != 0) {
                    place = place + 1 & slots.length - 1;
                }
                slots[place] = slot;
            }
        }
    }

    private void reserve(long bytes) {
        budget.reserve(bytes);
        reserved += bytes;
    }

    @Override
    public void close() {
        slots = new long[64];
        pages.clear();
        memory.close();
        budget.release(reserved);
        reserved = 0;
    }
}
