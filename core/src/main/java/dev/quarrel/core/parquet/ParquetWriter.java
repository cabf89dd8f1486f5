package dev.quarrel.core.parquet;

import dev.quarrel.core.arrow.Codec;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Writes batches as a Parquet file, from its beginning to its end: `out` is never asked to go back.
///
/// A row group is kept until it has `rowGroupRows` rows or 64 MiB, and written then.
///
/// - Shape: every batch has the schema's columns; columns with dictionaries and without are the same.
/// - Memory: batches are only read, before `append` returns; `out` stays the caller's.
/// - Errors: [IOException] of `out`, and `QueryException` 22003 or 22008 for a value that the file's types do not hold.
///   The file is not complete then.
/// - Source: Apache Parquet, "File Format" and parquet.thrift.
public final class ParquetWriter {
    /// Rows of a group where nothing else is said: readers share the work by groups.
    public static final int ROW_GROUP_ROWS = 1 << 20;

    /// ZSTD's level where nothing else is said.
    public static final int ZSTD_LEVEL = 3;

    private static final long ROW_GROUP_BYTES = 64L << 20;
    private static final int VERSION = 2;
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    private final OutputStream out;
    private final Schema schema;
    private final int rowGroupRows;
    private final List<ColumnChunk> chunks = new ArrayList<>();
    private final List<RowGroup> groups = new ArrayList<>();
    private long position;
    private int groupRows;
    private long rowCount;

    private record RowGroup(long position, int rows, List<ColumnChunk.Written> chunks) {}

    /// @param codec of pages; LZ4 is a raw block there
    public ParquetWriter(OutputStream out, Schema schema, Codec codec, int rowGroupRows) throws IOException {
        this(out, schema, codec, ZSTD_LEVEL, rowGroupRows);
    }

    /// @param zstdLevel for ZSTD alone
    public ParquetWriter(OutputStream out, Schema schema, Codec codec, int zstdLevel, int rowGroupRows)
            throws IOException {
        if (rowGroupRows < 1) {
            throw new IllegalArgumentException("row groups of " + rowGroupRows + " rows");
        }
        this.out = out;
        this.schema = schema;
        this.rowGroupRows = rowGroupRows;
        for (Field field : schema.fields()) {
            chunks.add(new ColumnChunk(field, codec, zstdLevel));
        }
        write(MAGIC);
    }

    public void append(Batch batch) throws IOException {
        for (int from = 0; from < batch.rowCount(); ) {
            int to = (int) Math.min(batch.rowCount(), (long) from + Math.min(rowGroupRows - groupRows, 1 << 15));
            for (int column = 0; column < chunks.size(); column++) {
                chunks.get(column).append(batch.column(column), from, to);
            }
            groupRows += to - from;
            from = to;
            long bytes = chunks.stream().mapToLong(ColumnChunk::byteCount).sum();
            if (groupRows == rowGroupRows || bytes >= ROW_GROUP_BYTES) {
                finishGroup();
            }
        }
    }

    private void finishGroup() throws IOException {
        long start = position;
        List<ColumnChunk.Written> written = new ArrayList<>();
        for (ColumnChunk chunk : chunks) {
            ColumnChunk.Written one = chunk.finish(out, position);
            position += one.bytes();
            written.add(one);
        }
        groups.add(new RowGroup(start, groupRows, written));
        rowCount += groupRows;
        groupRows = 0;
    }

    /// The rows of each row group that is written.
    public List<Integer> groupRows() {
        return groups.stream().map(RowGroup::rows).toList();
    }

    /// Writes what is left, and the footer.
    public void finish() throws IOException {
        if (groupRows > 0) {
            finishGroup();
        }
        byte[] footer = footer();
        write(footer);
        ByteQueue length = new ByteQueue();
        length.putInt(footer.length);
        out.write(length.array(), 0, length.size());
        write(MAGIC);
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes, 0, bytes.length);
        position += bytes.length;
    }

    private byte[] footer() {
        CompactWriter to = new CompactWriter();
        to.int32(1, VERSION);
        to.list(2, CompactWriter.STRUCT, schema.size() + 1);
        to.struct();
        to.text(4, "schema");
        to.int32(5, schema.size());
        to.end();
        for (int column = 0; column < schema.size(); column++) {
            chunks.get(column).type().writeElement(schema.field(column), to);
        }
        to.int64(3, rowCount);
        to.list(4, CompactWriter.STRUCT, groups.size());
        for (RowGroup group : groups) {
            writeGroup(group, to);
        }
        to.text(6, "quarrel");
        // Bounds are in the order of the columns' types.
        to.list(7, CompactWriter.STRUCT, schema.size());
        for (int column = 0; column < schema.size(); column++) {
            to.struct();
            to.empty(1);
            to.end();
        }
        to.stop();
        return to.bytes();
    }

    private static void writeGroup(RowGroup group, CompactWriter to) {
        to.struct();
        to.list(1, CompactWriter.STRUCT, group.chunks().size());
        for (ColumnChunk.Written chunk : group.chunks()) {
            to.struct();
            to.int64(2, 0);
            to.struct(3);
            chunk.metadata().write(to);
            to.end();
            to.end();
        }
        to.int64(
                2,
                group.chunks().stream()
                        .mapToLong(ColumnChunk.Written::plainBytes)
                        .sum());
        to.int64(3, group.rows());
        to.int64(5, group.position());
        to.int64(
                6, group.chunks().stream().mapToLong(ColumnChunk.Written::bytes).sum());
        to.end();
    }
}
