package dev.quarrel.export.files;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The bytes of many chains that grow at the same time, each in small blocks: thousands of chains with little in
/// each take little memory.
///
/// - Memory: owns the blocks, and returns them to the system all together. One thread at a time.
public final class RowBlocks implements AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 10;
    private static final int SLAB_BLOCKS = 1 << 10;
    private static final int NONE = -1;

    private final List<MemorySegment> slabs = new ArrayList<>();
    private Arena arena = Arena.ofConfined();
    private int[] following = new int[SLAB_BLOCKS]; // the next block of the chain, or of the free ones
    private int free = NONE;
    private int blocks;
    private int usedBlocks;

    /// Bytes of the blocks that chains have.
    public long usedBytes() {
        return (long) usedBlocks * BLOCK_BYTES;
    }

    /// Bytes taken of the system.
    public long byteCount() {
        return (long) blocks * BLOCK_BYTES;
    }

    /// Gives everything back to the system. All chains are empty.
    public void release() {
        if (usedBlocks > 0) {
            throw new IllegalStateException(usedBlocks + " blocks are in use");
        }
        arena.close();
        arena = Arena.ofConfined();
        slabs.clear();
        free = NONE;
        blocks = 0;
    }

    private int take() {
        if (free == NONE) {
            addSlab();
        }
        int block = free;
        free = following[block];
        following[block] = NONE;
        usedBlocks++;
        return block;
    }

    private void addSlab() {
        slabs.add(arena.allocate((long) SLAB_BLOCKS * BLOCK_BYTES, Long.BYTES));
        int first = blocks;
        blocks = Math.addExact(blocks, SLAB_BLOCKS);
        if (blocks > following.length) {
            following = Arrays.copyOf(following, 2 * following.length);
        }
        for (int block = first; block < blocks; block++) {
            following[block] = block + 1;
        }
        following[blocks - 1] = NONE;
        free = first;
    }

    private MemorySegment slab(int block) {
        return slabs.get(block / SLAB_BLOCKS);
    }

    private static long place(int block) {
        return (long) (block % SLAB_BLOCKS) * BLOCK_BYTES;
    }

    /// Takes a chain's bytes, piece by piece.
    @FunctionalInterface
    public interface Sink {
        void take(MemorySegment source, long offset, long length);
    }

    /// Some of the bytes, in the order in which they came.
    public final class Chain {
        private int first = NONE;
        private int last = NONE;
        private int lastBytes = BLOCK_BYTES; // of the last block
        private long byteCount;

        public long byteCount() {
            return byteCount;
        }

        public void append(byte[] source, int start, int length) {
            int done = 0;
            while (done < length) {
                if (lastBytes == BLOCK_BYTES) {
                    grow();
                }
                int piece = Math.min(length - done, BLOCK_BYTES - lastBytes);
                MemorySegment.copy(
                        source, start + done, slab(last), ValueLayout.JAVA_BYTE, place(last) + lastBytes, piece);
                lastBytes += piece;
                done += piece;
            }
            byteCount += length;
        }

        private void grow() {
            int block = take();
            if (last == NONE) {
                first = block;
            } else {
                following[last] = block;
            }
            last = block;
            lastBytes = 0;
        }

        public void forEach(Sink sink) {
            long left = byteCount;
            for (int block = first; block != NONE; block = following[block]) {
                long piece = Math.min(left, BLOCK_BYTES);
                sink.take(slab(block), place(block), piece);
                left -= piece;
            }
        }

        /// Forgets the last bytes.
        ///
        /// @param newByteCount how many stay
        public void truncate(long newByteCount) {
            int kept = NONE;
            int next = first;
            for (long bytes = 0; bytes < newByteCount; bytes += BLOCK_BYTES) {
                kept = next;
                next = following[next];
            }
            if (kept == NONE) {
                first = NONE;
            } else {
                following[kept] = NONE;
            }
            while (next != NONE) {
                int block = next;
                next = following[block];
                following[block] = free;
                free = block;
                usedBlocks--;
            }
            last = kept;
            int used = (int) (newByteCount % BLOCK_BYTES);
            lastBytes = used == 0 ? BLOCK_BYTES : used;
            byteCount = newByteCount;
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
