package dev.quarrel.export.files;

import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.copy.CopyRowSink;
import dev.quarrel.export.copy.FieldReader;
import dev.quarrel.export.snapshot.RowRange;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// Rows on their way into folders. A row is kept as it came, in the chain of its folder, and decoded when the chain is
/// written: column by column, and many rows of one folder at once, however the folders take turns in the table.
///
/// The fields of the keys come first in a row. Their bytes, lengths included, are what folders are found by.
///
/// - Memory: keeps three quarters of what the worker may; when there is more, the longest chains are written. The batch
///   that a chain becomes has half of it at most, and its spare.
final class FolderRows implements UnwrittenRows, CopyRowSink {
    private static final int FIRST_SLOTS = 64;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    // What a row larger than the memory may leave behind.
    private static final long SPARE_BYTES = 8L << 20;

    private final FolderFiles files;
    private final int keyCount;
    private final int columnCount;
    private final long mostBytes;
    private final long batchBytes;
    private final long leftBytes;
    private final RowBlocks blocks = new RowBlocks();
    private final FolderBatches batches;
    private final byte[] header = new byte[FolderBatches.HEADER_BYTES];

    private final List<Kept> all = new ArrayList<>();
    private final List<Kept> full = new ArrayList<>(); // they have grown to a batch
    private Kept[] slots = new Kept[FIRST_SLOTS]; // by hash, or in the next free place
    private Kept last; // the folder of the row before; null before the first
    private long sequence; // of the next row

    /// The rows of one folder that this worker keeps.
    private static final class Kept {
        private final byte[] key;
        private final int hash;
        private final Folder folder;
        private final RowBlocks.Chain chain;
        private long rowCount;
        private long sequence; // of the first row
        private long markedRows;
        private long markedBytes;

        Kept(byte[] key, int hash, Folder folder, RowBlocks.Chain chain) {
            this.key = key;
            this.hash = hash;
            this.folder = folder;
            this.chain = chain;
        }

        long byteCount() {
            return chain.byteCount();
        }

        boolean isOf(byte[] bytes, int start, int end) {
            return Arrays.equals(key, 0, key.length, bytes, start, end);
        }
    }

    FolderRows(FolderFiles files, TableLayout layout) {
        this.files = files;
        this.keyCount = layout.table().keys().fields().size();
        this.columnCount = layout.schema().size();
        this.mostBytes = layout.memoryBytes() / 4 * 3;
        this.batchBytes = FolderFiles.batchBytes(layout);
        this.leftBytes = layout.memoryBytes() / 8;
        this.batches = new FolderBatches(layout, batchBytes);
    }

    @Override
    public void beginAt(RowRange range, long row) {
        sequence = BatchBuilder.sequence(range, row);
    }

    @Override
    public int accept(CopyBinaryReader reader, CopyFrames frames) {
        return reader.accept(frames, this);
    }

    @Override
    public void row(byte[] bytes, int start, int end) {
        int keyEnd = start;
        for (int key = 0; key < keyCount; key++) {
            keyEnd += Integer.BYTES + Math.max(0, (int) FieldReader.INT32.get(bytes, keyEnd));
        }
        if (last == null || !last.isOf(bytes, start, keyEnd)) {
            last = kept(bytes, start, keyEnd);
        }
        keep(last, bytes, keyEnd, end - keyEnd);
        sequence++;
    }

    private void keep(Kept kept, byte[] bytes, int start, int length) {
        if (kept.rowCount == 0) {
            kept.sequence = sequence;
        }
        kept.rowCount++;
        FolderBatches.putHeader(header, columnCount, length);
        boolean wasFull = kept.byteCount() >= batchBytes;
        kept.chain.append(header, 0, header.length);
        kept.chain.append(bytes, start, length);
        if (!wasFull && kept.byteCount() >= batchBytes) {
            full.add(kept);
        }
    }

    private Kept kept(byte[] bytes, int start, int end) {
        int hash = hash(bytes, start, end);
        int mask = slots.length - 1;
        int slot = hash & mask;
        while (slots[slot] != null) {
            if (slots[slot].hash == hash && slots[slot].isOf(bytes, start, end)) {
                return slots[slot];
            }
            slot = (slot + 1) & mask;
        }
        byte[] key = Arrays.copyOfRange(bytes, start, end);
        Kept kept = new Kept(key, hash, files.folder(key), blocks.new Chain());
        slots[slot] = kept;
        all.add(kept);
        if (all.size() > slots.length / 2) {
            growSlots();
        }
        return kept;
    }

    private void growSlots() {
        slots = new Kept[2 * slots.length];
        int mask = slots.length - 1;
        for (Kept kept : all) {
            int slot = kept.hash & mask;
            while (slots[slot] != null) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = kept;
        }
    }

    /// Of at least the four bytes that a key's length takes.
    private static int hash(byte[] bytes, int start, int end) {
        long mixed = end - start;
        int at = start;
        for (; end - at >= Long.BYTES; at += Long.BYTES) {
            mixed = (Long.rotateLeft(mixed, 29) ^ (long) FieldReader.INT64.get(bytes, at)) * MULTIPLIER;
        }
        for (; end - at >= Integer.BYTES; at += Integer.BYTES) {
            mixed = (Long.rotateLeft(mixed, 29) ^ (int) FieldReader.INT32.get(bytes, at)) * MULTIPLIER;
        }
        // The last bytes, with some of those before them.
        mixed = (Long.rotateLeft(mixed, 29) ^ (int) FieldReader.INT32.get(bytes, end - Integer.BYTES)) * MULTIPLIER;
        return (int) (mixed >>> 32);
    }

    @Override
    public boolean offer() {
        boolean writes = !full.isEmpty() || blocks.usedBytes() > mostBytes;
        full.forEach(this::write);
        full.clear();
        if (blocks.usedBytes() > mostBytes) {
            writeLongest(mostBytes / 4 * 3);
        }
        if (blocks.byteCount() > mostBytes + SPARE_BYTES) {
            writeLongest(0);
            blocks.release();
            writes = true;
        }
        return writes;
    }

    /// Writes chains until the others have `bytes` at most.
    private void writeLongest(long bytes) {
        List<Kept> longest = new ArrayList<>(all);
        longest.sort(Comparator.comparingLong(Kept::byteCount).reversed());
        for (Kept kept : longest) {
            if (blocks.usedBytes() <= bytes) {
                return;
            }
            write(kept);
        }
    }

    private void write(Kept kept) {
        if (kept.rowCount == 0) {
            return;
        }
        batches.begin(kept.folder, kept.rowCount);
        batches.beginAt(kept.sequence);
        kept.chain.forEach(batches::add);
        batches.end();
        kept.chain.truncate(0);
        kept.rowCount = 0;
    }

    @Override
    public void mark() {
        for (Kept kept : all) {
            kept.markedRows = kept.rowCount;
            kept.markedBytes = kept.byteCount();
        }
    }

    @Override
    public void rewind() {
        for (Kept kept : all) {
            kept.rowCount = kept.markedRows;
            kept.chain.truncate(kept.markedBytes);
        }
        full.clear();
    }

    @Override
    public void leave(boolean isLast) {
        try (this) {
            // What is large enough as it is need not wait for others, and the others need not wait for it.
            for (Kept kept : all) {
                if (kept.byteCount() >= batchBytes / 2) {
                    write(kept);
                }
            }
            if (!isLast) {
                writeLongest(leftBytes); // the memory is the next table's
            }
            leaveRest();
        }
    }

    /// Copies what is left into memory that other threads may read, and that takes no more than it.
    private void leaveRest() {
        List<Kept> left = all.stream().filter(kept -> kept.rowCount > 0).toList();
        if (left.isEmpty()) {
            return;
        }
        MemorySegment rows = files.newArena()
                .allocate(left.stream().mapToLong(Kept::byteCount).sum());
        long at = 0;
        for (Kept kept : left) {
            MemorySegment copy = rows.asSlice(at, kept.byteCount());
            copyTo(kept, copy);
            kept.folder.leave(new Folder.Leftover(kept.sequence, kept.rowCount, copy));
            at += copy.byteSize();
        }
    }

    private static void copyTo(Kept kept, MemorySegment copy) {
        long[] at = {0};
        kept.chain.forEach((source, offset, length) -> {
            MemorySegment.copy(source, offset, copy, at[0], length);
            at[0] += length;
        });
    }

    @Override
    public void close() {
        batches.close();
        blocks.close();
    }
}
