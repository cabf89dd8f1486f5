package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT64;

import com.github.luben.zstd.Zstd;
import dev.quarrel.core.column.Allocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Gives out the buffers of one column in one batch: views into the file in memory, or decompressed copies.
final class BufferReader {
    private static final long NOT_COMPRESSED = -1;

    /// Writers may compress a buffer's spare capacity too; more than this beyond the need is no honest file.
    private static final long MAX_SPARE_BYTES = 16 << 20;

    private final FileBytes file;
    private final boolean isKept;
    private final FileFault fault;
    private final BatchLayout layout;
    private final int firstBuffer;
    private final int bufferCount;
    private final int[] viewBuffers;
    private final long[] skips; // bytes of each buffer that are left out; null for none
    private final Allocator memory;

    /// @param isKept whether what is copied of the file stays for others, and does not go to `memory`
    BufferReader(FileBytes file, boolean isKept, FileFault fault, BatchLayout layout, int column, Allocator memory) {
        this(
                file,
                isKept,
                fault,
                layout,
                layout.firstBuffers()[column],
                layout.bufferCounts()[column],
                layout.viewBuffers()[column],
                null,
                memory);
    }

    private BufferReader(
            FileBytes file,
            boolean isKept,
            FileFault fault,
            BatchLayout layout,
            int firstBuffer,
            int bufferCount,
            int[] viewBuffers,
            long[] skips,
            Allocator memory) {
        this.file = file;
        this.isKept = isKept;
        this.fault = fault;
        this.layout = layout;
        this.firstBuffer = firstBuffer;
        this.bufferCount = bufferCount;
        this.viewBuffers = viewBuffers;
        this.skips = skips;
        this.memory = memory;
    }

    /// The same without the first rows.
    ///
    /// @param rows as of [RowSkip#bytes]
    BufferReader from(Storage storage, long rows) {
        if (rows == 0) {
            return this;
        }
        long[] bytes = RowSkip.bytes(storage, rows, bufferCount, viewBuffers);
        for (int index = 0; skips != null && index < bytes.length; index++) {
            bytes[index] += skips[index];
        }
        return new BufferReader(file, isKept, fault, layout, firstBuffer, bufferCount, viewBuffers, bytes, memory);
    }

    /// The buffers of columns within this one: a list's elements, or a struct's members.
    ///
    /// @param index of the first one's first buffer
    List<BufferReader> members(int index, List<Storage> members) {
        List<BufferReader> readers = new ArrayList<>();
        int first = firstBuffer + index;
        int view = 0;
        for (Storage member : members) {
            int[] views = Arrays.copyOfRange(viewBuffers, view, view + member.viewCount());
            int count = member.bufferCount() + Arrays.stream(views).sum();
            int own = first - firstBuffer;
            long[] skipped = skips == null ? null : Arrays.copyOfRange(skips, own, own + count);
            readers.add(new BufferReader(file, isKept, fault, layout, first, count, views, skipped, memory));
            first += count;
            view += views.length;
        }
        return readers;
    }

    /// Buffers of the column, validity included.
    int count() {
        return bufferCount;
    }

    /// Bytes of the column's buffers from one on, as they lie in the file.
    long lengthsFrom(int index) {
        long bytes = 0;
        for (int buffer = firstBuffer + index; buffer < firstBuffer + bufferCount; buffer++) {
            bytes += layout.lengths()[buffer];
        }
        return bytes;
    }

    /// Bytes of all buffers of the column, once they are decompressed.
    long valueBytes() {
        long plain = lengthsFrom(0);
        return layout.codec() == Codec.PLAIN ? plain : Math.max(plain, announcedBytes());
    }

    /// Bytes that `buffer` would allocate for all buffers of the column.
    long decodedBytes() {
        long swapped = layout.widths() == null ? 0 : lengthsFrom(0);
        if (layout.codec() == Codec.PLAIN) {
            return swapped;
        }
        return layout.widths() == null ? announcedBytes() : 2 * announcedBytes();
    }

    private long announcedBytes() {
        long bytes = 0;
        for (int index = firstBuffer; index < firstBuffer + bufferCount; index++) {
            long length = layout.lengths()[index];
            if (length >= 8) {
                long announced = announced(layout.offsets()[index]);
                bytes += isPossible(announced, length) ? Math.max(0, announced) : 0; // else `buffer` refuses it
            }
        }
        return bytes;
    }

    /// For an estimate: the file may have changed by now, which shows when its buffers are asked for.
    private long announced(long offset) {
        return MemorySegment.ofArray(file.bytes(offset, Long.BYTES)).get(INT64, 0);
    }

    private MemorySegment bytes(long offset, long length) {
        return isKept ? file.memory(offset, length) : file.memory(offset, length, memory);
    }

    /// No codec of ours can do better than ZSTD with 128 KiB of one byte in 4 bytes.
    private static boolean isPossible(long decodedBytes, long compressedBytes) {
        return decodedBytes >> 15 <= compressedBytes;
    }

    /// Buffer `index` of the column.
    ///
    /// - Errors: XX001 when it has fewer than `neededBytes` bytes, or decompresses to far more.
    MemorySegment buffer(int index, long neededBytes) {
        return buffer(index, neededBytes, neededBytes);
    }

    /// Buffer `index` of the column, whose exact size only the file knows.
    MemorySegment buffer(int index, long neededBytes, long likelyBytes) {
        long offset = layout.offsets()[firstBuffer + index];
        long length = layout.lengths()[firstBuffer + index];
        long skip = skips == null ? 0 : skips[index];
        boolean isPlain = layout.codec() == Codec.PLAIN || length == 0;
        long before = isPlain ? Math.min(skip, length) : 0; // of compressed bytes all are read
        MemorySegment buffer =
                isPlain ? bytes(offset + before, length - before) : decompressed(offset, length, skip + likelyBytes);
        if (Math.max(0, before + buffer.byteSize() - skip) < neededBytes) {
            throw fault.corrupt("a buffer has " + (before + buffer.byteSize()) + " bytes where " + (skip + neededBytes)
                    + " are needed");
        }
        MemorySegment rest = isPlain ? buffer : buffer.asSlice(Math.min(skip, buffer.byteSize()));
        return layout.widths() == null ? rest : ByteSwap.swapped(rest, layout.widths()[firstBuffer + index], memory);
    }

    private MemorySegment decompressed(long offset, long length, long likelyBytes) {
        if (length < 8) {
            throw fault.corrupt("a compressed buffer of " + length + " bytes");
        }
        MemorySegment compressed = bytes(offset, length);
        long decodedBytes = compressed.get(INT64, 0);
        compressed = compressed.asSlice(8);
        if (decodedBytes == NOT_COMPRESSED) {
            return compressed;
        }
        if (decodedBytes < 0 || decodedBytes - MAX_SPARE_BYTES > 2 * likelyBytes || !isPossible(decodedBytes, length)) {
            throw fault.corrupt(
                    "a compressed buffer announces " + decodedBytes + " bytes where " + likelyBytes + " are needed");
        }
        if (decodedBytes == 0) {
            return MemorySegment.NULL;
        }
        try {
            return layout.codec() == Codec.LZ4_FRAME ? lz4(compressed, decodedBytes) : zstd(compressed, decodedBytes);
        } catch (IllegalArgumentException e) {
            throw fault.corrupt(e.getMessage(), e);
        }
    }

    private MemorySegment lz4(MemorySegment source, long decodedBytes) {
        if (decodedBytes / 255 > source.byteSize()) {
            throw new IllegalArgumentException(
                    "an LZ4 frame of " + source.byteSize() + " bytes cannot hold " + decodedBytes);
        }
        MemorySegment target = memory.allocate(decodedBytes);
        Lz4Frame.decode(source, target);
        return target;
    }

    private MemorySegment zstd(MemorySegment source, long decodedBytes) {
        // The library reads by address: were the file cut short meanwhile, that would end the JVM. So it is given a
        // copy, which Java makes.
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment compressed = arena.allocate(Math.max(1, source.byteSize()), 8);
            MemorySegment.copy(source, 0, compressed, 0, source.byteSize());
            MemorySegment target = memory.allocate(decodedBytes);
            long result =
                    Zstd.decompressUnsafe(target.address(), decodedBytes, compressed.address(), source.byteSize());
            if (Zstd.isError(result)) {
                throw new IllegalArgumentException("ZSTD: " + Zstd.getErrorName(result));
            }
            if (result != decodedBytes) {
                throw new IllegalArgumentException(
                        "a ZSTD frame of " + result + " bytes where " + decodedBytes + " were announced");
            }
            return target;
        }
    }
}
