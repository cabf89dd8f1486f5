package dev.quarrel.export.files;

import dev.quarrel.core.column.Batch;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.copy.FieldReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Turns rows that were kept as they came into batches, and writes these: folder by folder.
///
/// A kept row is its length and what a message of a COPY stream has of one: the number of its fields, and the fields.
///
/// - Memory: owns one batch on its way. One thread at a time.
final class FolderBatches implements AutoCloseable {
    static final int HEADER_BYTES = Integer.BYTES + Short.BYTES;

    private static final int BUFFER_BYTES = 1 << 18;

    private final CopyBinaryReader reader;
    private final BatchBuilder builder;
    private final CopyFrames frames = new CopyFrames();
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int buffered;
    private Folder folder;
    private long sequence;

    FolderBatches(TableLayout layout, long batchBytes) {
        this.reader = layout.newRowReader();
        this.builder = new BatchBuilder(layout.schema(), layout.coded(), batchBytes, 0);
    }

    /// Writes what comes before a row's fields.
    ///
    /// @param fieldBytes of all fields together
    static void putHeader(byte[] header, int fieldCount, int fieldBytes) {
        FieldReader.INT32.set(header, 0, Short.BYTES + fieldBytes);
        FieldReader.INT16.set(header, Integer.BYTES, (short) fieldCount);
    }

    /// Says whose rows come next, and how many there will be until `end`.
    void begin(Folder newFolder, long rowCount) {
        folder = newFolder;
        builder.expect(rowCount);
    }

    /// Says which place in the table the next row has. It is a row's begin.
    void beginAt(long newSequence) {
        drain();
        sequence = newSequence;
    }

    /// Takes the next bytes of the rows.
    void add(MemorySegment source, long offset, long length) {
        long done = 0;
        while (done < length) {
            if (buffered == buffer.length) {
                drain();
            }
            if (buffered == buffer.length) {
                int rowBytes = (int) FieldReader.INT32.get(buffer, 0);
                buffer = Arrays.copyOf(buffer, Math.addExact(Integer.BYTES, rowBytes));
            }
            int piece = (int) Math.min(length - done, buffer.length - buffered);
            MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset + done, buffer, buffered, piece);
            buffered += piece;
            done += piece;
        }
    }

    /// Writes the rest of the folder's rows.
    void end() {
        drain();
        if (buffered > 0) {
            throw new IllegalStateException(buffered + " bytes are no row");
        }
        if (builder.rowCount() > 0) {
            write();
        }
        if (buffer.length > BUFFER_BYTES) {
            buffer = new byte[BUFFER_BYTES]; // there was a row that needed more
        }
    }

    /// Appends the whole rows that are buffered.
    private void drain() {
        int at = 0;
        frames.clear(buffer);
        while (buffered - at >= Integer.BYTES) {
            int start = at + Integer.BYTES;
            int length = (int) FieldReader.INT32.get(buffer, at);
            if (length > buffered - start) {
                break;
            }
            frames.add(start, start + length);
            at = start + length;
            if (frames.isFull()) {
                append();
            }
        }
        append();
        System.arraycopy(buffer, at, buffer, 0, buffered - at);
        buffered -= at;
    }

    private void append() {
        if (frames.count() == 0) {
            return;
        }
        builder.beginAt(sequence);
        int rows = reader.accept(frames, builder.writers());
        if (rows != frames.count()) {
            throw new IllegalStateException(rows + " of " + frames.count() + " rows");
        }
        // A later row's place is at least that much further on: what lies between is of other folders.
        sequence += rows;
        frames.clear(buffer);
        builder.foresee();
        if (builder.isFull()) {
            write();
        }
    }

    private void write() {
        long place = builder.sequence();
        try (Batch batch = builder.take()) {
            folder.append(place, batch);
        }
    }

    @Override
    public void close() {
        builder.close();
    }
}
