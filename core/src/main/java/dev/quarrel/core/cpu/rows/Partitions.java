package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.device.KeyHash;

/// The rows of a store ordered by partition, which the hash of the keys decides; within a partition they keep
/// their order.
public final class Partitions implements AutoCloseable {
    private static final int TILE_ROWS = 1 << 11;

    private final int[] order;
    private final int[] starts;
    private final Reservation reservation;

    /// Takes a run of places in `order`.
    public interface Receiver {
        void accept(int partition, int from, int count);
    }

    private Partitions(int[] order, int[] starts, Reservation reservation) {
        this.order = order;
        this.starts = starts;
        this.reservation = reservation;
    }

    /// @param known the rows' hashes, or null
    /// @param partitionCount at most 128
    public static Partitions of(
            ValueStore[] keys, long[] known, int rowCount, int firstBit, int partitionCount, MemoryBudget budget) {
        Reservation reservation = new Reservation(budget);
        try {
            reservation.growToSpill(rowCount * 5L);
            return made(keys, known, rowCount, firstBit, partitionCount, reservation);
        } catch (RuntimeException | Error problem) {
            reservation.close();
            throw problem;
        }
    }

    private static Partitions made(
            ValueStore[] keys, long[] known, int rowCount, int firstBit, int partitionCount, Reservation reservation) {
        byte[] partitionOf = new byte[rowCount];
        int[] starts = new int[partitionCount + 1];
        long[] hashes = new long[Math.min(TILE_ROWS, rowCount)];
        long[] further = new long[keys.length > 1 ? hashes.length : 0];
        for (int from = 0; from < rowCount; from += TILE_ROWS) {
            reservation.budget().checkStop();
            int count = Math.min(TILE_ROWS, rowCount - from);
            if (known == null) {
                ValueStore.hashes(keys, from, count, hashes, further);
            } else {
                System.arraycopy(known, from, hashes, 0, count);
            }
            for (int index = 0; index < count; index++) {
                int partition = KeyHash.partition(hashes[index], firstBit, partitionCount);
                partitionOf[from + index] = (byte) partition;
                starts[partition + 1]++;
            }
        }
        for (int partition = 0; partition < partitionCount; partition++) {
            starts[partition + 1] += starts[partition];
        }
        int[] next = starts.clone();
        int[] order = new int[rowCount];
        for (int row = 0; row < rowCount; row++) {
            order[next[partitionOf[row]]++] = row;
        }
        return new Partitions(order, starts, reservation);
    }

    public int[] order() {
        return order;
    }

    /// The first place of a partition in `order`.
    public int start(int partition) {
        return starts[partition];
    }

    public int rowCount(int partition) {
        return starts[partition + 1] - starts[partition];
    }

    /// Hands out all places, partition by partition, so many at a time.
    void forEach(int maxRows, Receiver receiver) {
        forEach(0, starts.length - 1, maxRows, receiver);
    }

    /// Hands out the places of partitions [first, end).
    public void forEach(int first, int end, int maxRows, Receiver receiver) {
        for (int partition = first; partition < end; partition++) {
            for (int from = starts[partition]; from < starts[partition + 1]; from += maxRows) {
                receiver.accept(partition, from, Math.min(maxRows, starts[partition + 1] - from));
            }
        }
    }

    @Override
    public void close() {
        reservation.close();
    }
}
