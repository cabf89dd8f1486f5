package dev.quarrel.core.spill;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// A temporary file of batches in Arrow's column buffers, one batch after another. The place of each batch is
/// kept in memory, in its [Chunk]: nobody but this process reads the file, and it has no name in the file system
/// where that is possible.
///
/// Threads share it: any number writes and reads at a time.
public final class SpillFile implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;
    private final QuerySpill query;
    private final AtomicLong end = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    /// One batch in the file.
    ///
    /// - Memory: of text with a dictionary the codes are written; the dictionary itself must live as long as
    ///   the query.
    public static final class Chunk {
        private final Schema schema;
        private final int rowCount;
        private final long position;
        private final long bytes;
        private final Part[] parts;

        private Chunk(Schema schema, int rowCount, long position, long bytes, Part[] parts) {
            this.schema = schema;
            this.rowCount = rowCount;
            this.position = position;
            this.bytes = bytes;
            this.parts = parts;
        }

        public Schema schema() {
            return schema;
        }

        public int rowCount() {
            return rowCount;
        }

        /// Bytes in the file, and of the batch when it is read.
        public long bytes() {
            return bytes;
        }

        /// The dictionary of a column, or null where it has none.
        public Dictionary dictionary(int column) {
            return parts[column].dictionary;
        }

        public boolean hasNulls(int column) {
            return parts[column].nullCount != 0;
        }
    }

    /// How one column lies in a chunk: validity (if there are NULLs), then offsets, codes, bits or values, then text.
    ///
    /// @param nullCount as [Validity] has it
    private record Part(Dictionary dictionary, int codeBytes, long nullCount, long dataBytes) {}

    SpillFile(Path path, FileChannel channel, QuerySpill query) {
        this.path = path;
        this.channel = channel;
        this.query = query;
    }

    public long bytes() {
        return end.get();
    }

    private static long padded(long bytes) {
        return bytes + 7 & -8L;
    }

    /// Appends a batch, which stays the caller's.
    ///
    /// - Errors: `QueryException` 53100 when the disk is full, 53400 past the query's bound, 58030 otherwise.
    public Chunk write(Batch batch) {
        int rowCount = batch.rowCount();
        List<MemorySegment> buffers = new ArrayList<>();
        Part[] parts = new Part[batch.columns().size()];
        for (int index = 0; index < parts.length; index++) {
            parts[index] = addBuffers(batch.column(index), rowCount, buffers);
        }
        long bytes = 0;
        for (MemorySegment buffer : buffers) {
            bytes += padded(buffer.byteSize());
        }
        query.grow(bytes);
        long position = end.getAndAdd(bytes);
        long at = position;
        for (MemorySegment buffer : buffers) {
            write(buffer, at);
            at += padded(buffer.byteSize());
        }
        return new Chunk(batch.schema(), rowCount, position, bytes, parts);
    }

    private static Part addBuffers(Column column, int rowCount, List<MemorySegment> buffers) {
        Validity validity = column.validity();
        long bitBytes = (rowCount + 7L) / 8;
        if (!validity.isAllPresent()) {
            buffers.add(validity.bits().asSlice(0, bitBytes));
        }
        long nulls = validity.nullCount();
        return switch (column) {
            case FixedColumn fixed -> {
                buffers.add(
                        fixed.values().asSlice(0, (long) rowCount * fixed.type().byteWidth()));
                yield new Part(null, 0, nulls, 0);
            }
            case BoolColumn bools -> {
                buffers.add(bools.bits().asSlice(0, bitBytes));
                yield new Part(null, 0, nulls, 0);
            }
            case DictionaryColumn codes -> {
                buffers.add(codes.codes().asSlice(0, (long) rowCount * codes.codeBytes()));
                yield new Part(codes.dictionary(), codes.codeBytes(), nulls, 0);
            }
            case Utf8Column text -> {
                long start = rowCount == 0 ? 0 : text.offset(0);
                long length = rowCount == 0 ? 0 : text.offset(rowCount) - start;
                if (rowCount > 0) {
                    buffers.add(offsets(text, start, rowCount));
                }
                buffers.add(text.data().asSlice(start, length));
                yield new Part(null, 0, nulls, length);
            }
        };
    }

    private static MemorySegment offsets(Utf8Column text, long start, int rowCount) {
        if (start == 0 && !text.largeOffsets()) {
            return text.offsets().asSlice(0, (rowCount + 1L) * 4);
        }
        MemorySegment rebased = MemorySegment.ofArray(new byte[Math.multiplyExact(rowCount + 1, 4)]);
        for (int row = 0; row <= rowCount; row++) {
            rebased.set(INT32, row * 4L, Math.toIntExact(text.offset(row) - start));
        }
        return rebased;
    }

    private void write(MemorySegment buffer, long position) {
        long done = 0;
        while (done < buffer.byteSize()) {
            long part = Math.min(buffer.byteSize() - done, 1 << 30);
            ByteBuffer bytes = buffer.asSlice(done, part).asByteBuffer();
            try {
                while (bytes.hasRemaining()) {
                    done += channel.write(bytes, position + done);
                }
            } catch (IOException problem) {
                throw SpillFolder.error("write to temporary file", path, bytes.remaining(), problem);
            }
        }
    }

    /// Reads a batch back, into memory of `allocator`: a view, which lives as long as that.
    ///
    /// - Errors: `QueryException` 58030.
    public Batch read(Chunk chunk, Allocator allocator) {
        MemorySegment block = allocator.allocate(Math.max(8, chunk.bytes));
        read(block.asSlice(0, chunk.bytes), chunk.position);
        List<Column> columns = new ArrayList<>(chunk.parts.length);
        long at = 0;
        for (int index = 0; index < chunk.parts.length; index++) {
            columns.add(column(chunk, index, block, at));
            at += bytes(chunk, index);
        }
        return Batch.view(chunk.schema, columns, chunk.rowCount);
    }

    /// The same of one column alone.
    public Column read(Chunk chunk, int column, Allocator allocator) {
        long before = 0;
        for (int index = 0; index < column; index++) {
            before += bytes(chunk, index);
        }
        MemorySegment block = allocator.allocate(Math.max(8, bytes(chunk, column)));
        read(block.asSlice(0, bytes(chunk, column)), chunk.position + before);
        return column(chunk, column, block, 0);
    }

    /// Bytes of one column of a chunk in the file.
    private static long bytes(Chunk chunk, int index) {
        Part part = chunk.parts[index];
        DataType type = chunk.schema.type(index);
        int rowCount = chunk.rowCount;
        long bitBytes = padded((rowCount + 7L) / 8);
        long validity = part.nullCount != 0 ? bitBytes : 0;
        if (part.dictionary != null) {
            return validity + padded((long) rowCount * part.codeBytes);
        }
        if (type.byteWidth() > 0) {
            return validity + padded((long) rowCount * type.byteWidth());
        }
        if (type instanceof DataType.Bool) {
            return validity + bitBytes;
        }
        return validity + padded(offsetBytes(rowCount)) + padded(part.dataBytes);
    }

    private static long offsetBytes(int rowCount) {
        return rowCount == 0 ? 0 : (rowCount + 1L) * 4;
    }

    /// One column, which starts at byte `start` of `block`.
    private static Column column(Chunk chunk, int index, MemorySegment block, long start) {
        Part part = chunk.parts[index];
        DataType type = chunk.schema.type(index);
        int rowCount = chunk.rowCount;
        long bitBytes = (rowCount + 7L) / 8;
        long at = start;
        Validity validity = Validity.allPresent();
        if (part.nullCount != 0) {
            validity = Validity.of(block.asSlice(at, bitBytes), rowCount, part.nullCount);
            at += padded(bitBytes);
        }
        if (part.dictionary != null) {
            long bytes = (long) rowCount * part.codeBytes;
            return new DictionaryColumn(rowCount, block.asSlice(at, bytes), part.codeBytes, part.dictionary, validity);
        }
        if (type.byteWidth() > 0) {
            return new FixedColumn(type, rowCount, block.asSlice(at, (long) rowCount * type.byteWidth()), validity);
        }
        if (type instanceof DataType.Bool) {
            return new BoolColumn(rowCount, block.asSlice(at, bitBytes), validity);
        }
        MemorySegment offsets = block.asSlice(at, offsetBytes(rowCount));
        at += padded(offsetBytes(rowCount));
        return new Utf8Column(type, rowCount, offsets, false, block.asSlice(at, part.dataBytes), validity);
    }

    private void read(MemorySegment block, long position) {
        long done = 0;
        while (done < block.byteSize()) {
            ByteBuffer bytes = block.asSlice(done, Math.min(block.byteSize() - done, 1 << 30))
                    .asByteBuffer();
            try {
                while (bytes.hasRemaining()) {
                    int count = channel.read(bytes, position + done);
                    if (count < 0) {
                        // Padding after the file's last buffer is never written.
                        if (block.byteSize() - done < 8) {
                            return;
                        }
                        throw new IOException("it ends at byte " + (position + done));
                    }
                    done += count;
                }
            } catch (IOException problem) {
                throw SpillFolder.error("read from temporary file", path, 0, problem);
            }
        }
    }

    /// Deletes the file; a second call does nothing.
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        query.forget(this, end.get());
        try {
            channel.close();
        } catch (IOException problem) {
            throw SpillFolder.error("delete temporary file", path, 0, problem);
        }
    }
}
