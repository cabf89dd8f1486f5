package dev.quarrel.core.cpu;

import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.run.Reservation;

/// Rows in the order of their partitions by the keys' hash; within a partition in their own order.
final class Partitions implements AutoCloseable {
    private final int[] order;
    private final int[] starts;
    private final Reservation reservation;

    /// Takes a run of places in `order`.
    interface Receiver {
        void accept(int partition, int from, int count);
    }

    private Partitions(int[] order, int[] starts, Reservation reservation) {
        this.order = order;
        this.starts = starts;
        this.reservation = reservation;
    }

    /// @param partitionCount at most 128
    static Partitions of(ValueStore[] keys, int rowCount, int firstBit, int partitionCount, MemoryBudget budget) {
        Reservation reservation = new Reservation(budget);
        reservation.growToSpill(rowCount * 5L);
        byte[] partitionOf = new byte[rowCount];
        int[] starts = new int[partitionCount + 1];
        for (int row = 0; row < rowCount; row++) {
            int partition = KeyHash.partition(ValueStore.hash(keys, row), firstBit, partitionCount);
            partitionOf[row] = (byte) partition;
            starts[partition + 1]++;
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

    int[] order() {
        return order;
    }

    /// Hands out all places, partition by partition, so many at a time.
    void forEach(int maxRows, Receiver receiver) {
        for (int partition = 0; partition + 1 < starts.length; partition++) {
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
