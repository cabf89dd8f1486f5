package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT64;

import com.github.luben.zstd.Zstd;
import dev.quarrel.core.column.Allocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;

/// How the buffers of a record batch are compressed, each by itself.
public enum Codec {
    PLAIN,
    LZ4_FRAME,
    ZSTD;

    private static final int PIECE_BYTES = 1 << 20;

    /// A buffer as it stands in a body: its length and what is left of it, or -1 and itself where that is not less.
    ///
    /// @param zstdLevel for ZSTD alone
    MemorySegment compressed(MemorySegment buffer, int zstdLevel, Allocator memory) {
        long length = buffer.byteSize();
        if (this == PLAIN || length == 0) {
            return buffer;
        }
        MemorySegment body = this == ZSTD ? zstd(buffer, zstdLevel, memory) : lz4(buffer);
        if (body.byteSize() < length) {
            MemorySegment target = memory.allocate(8 + body.byteSize());
            target.set(INT64, 0, length);
            MemorySegment.copy(body, 0, target, 8, body.byteSize());
            return target;
        }
        MemorySegment stored = memory.allocate(8 + length);
        stored.set(INT64, 0, -1);
        MemorySegment.copy(buffer, 0, stored, 8, length);
        return stored;
    }

    /// The first `length` of `bytes` as formats of other kinds hold them: one ZSTD frame, one raw LZ4 block, or
    /// themselves.
    ///
    /// @param zstdLevel for ZSTD alone
    public byte[] block(byte[] bytes, int length, int zstdLevel) {
        return switch (this) {
            case PLAIN -> Arrays.copyOf(bytes, length);
            case LZ4_FRAME -> LZ4Factory.fastestInstance().fastCompressor().compress(bytes, 0, length);
            case ZSTD -> {
                byte[] target = new byte[Math.toIntExact(Zstd.compressBound(length))];
                long result = Zstd.compressByteArray(target, 0, target.length, bytes, 0, length, zstdLevel);
                if (Zstd.isError(result)) {
                    throw new IllegalStateException("ZSTD: " + Zstd.getErrorName(result));
                }
                yield Arrays.copyOf(target, (int) result);
            }
        };
    }

    private static MemorySegment zstd(MemorySegment buffer, int level, Allocator memory) {
        long length = buffer.byteSize();
        long bound = Zstd.compressBound(length);
        MemorySegment target = memory.allocate(bound);
        // The library reads by address: a mapped file that is cut short meanwhile would end the JVM.
        MemorySegment source = memory.allocate(length);
        MemorySegment.copy(buffer, 0, source, 0, length);
        long result = Zstd.compressUnsafe(target.address(), bound, source.address(), length, level, false);
        if (Zstd.isError(result)) {
            throw new IllegalStateException("ZSTD: " + Zstd.getErrorName(result));
        }
        return target.asSlice(0, result);
    }

    private static MemorySegment lz4(MemorySegment buffer) {
        long length = buffer.byteSize();
        ByteArrayOutputStream target = new ByteArrayOutputStream((int) Math.min(length, PIECE_BYTES));
        try (OutputStream frame = new LZ4FrameOutputStream(
                target, blockSize(length), length, FLG.Bits.BLOCK_INDEPENDENCE, FLG.Bits.CONTENT_SIZE)) {
            byte[] piece = new byte[(int) Math.min(length, PIECE_BYTES)];
            for (long at = 0; at < length; at += piece.length) {
                int bytes = (int) Math.min(piece.length, length - at);
                MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, at, piece, 0, bytes);
                frame.write(piece, 0, bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("LZ4", e);
        }
        return MemorySegment.ofArray(target.toByteArray());
    }

    /// The frame's writer holds a block, whatever it is given: most buffers are far smaller than the largest.
    private static BLOCKSIZE blockSize(long length) {
        return length <= 1 << 16
                ? BLOCKSIZE.SIZE_64KB
                : length <= 1 << 18
                        ? BLOCKSIZE.SIZE_256KB
                        : length <= 1 << 20 ? BLOCKSIZE.SIZE_1MB : BLOCKSIZE.SIZE_4MB;
    }
}
