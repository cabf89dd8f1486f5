package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NarrowColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// The tiles of a batch as a program's input: it copies a column's rows into a vector when, and as far as, a
/// program asks for them.
///
/// - Memory: owns its vectors, borrows the batch until the next `moveTo`. Text is not copied: vectors refer to the
///   batch.
public final class BatchInput implements TileInput {
    private final List<DataType> types;
    private final int tileRows;
    private final Vector[] vectors;
    private final boolean[] complete;
    private Batch batch;
    private int firstRow;
    private int rowCount;
    private long loadedBytes;

    /// @param types of the batches' columns, which are the program's inputs
    public BatchInput(List<DataType> types, int tileRows) {
        this.types = List.copyOf(types);
        this.tileRows = tileRows;
        this.vectors = new Vector[types.size()];
        this.complete = new boolean[types.size()];
    }

    /// Moves to the tile of rows [newFirstRow, newFirstRow + newRowCount).
    public void moveTo(Batch newBatch, int newFirstRow, int newRowCount) {
        batch = newBatch;
        firstRow = newFirstRow;
        rowCount = newRowCount;
        Arrays.fill(complete, false);
    }

    public int rowCount() {
        return rowCount;
    }

    public Batch batch() {
        return batch;
    }

    public int firstRow() {
        return firstRow;
    }

    /// Counts bytes that somebody read past this input.
    public void addLoadedBytes(long bytes) {
        loadedBytes += bytes;
    }

    /// Bytes of values read since the last call, text and validity aside.
    public long takeLoadedBytes() {
        long bytes = loadedBytes;
        loadedBytes = 0;
        return bytes;
    }

    @Override
    public Vector load(int input, Mask rows) {
        Vector vector = vectors[input];
        if (vector == null) {
            vector = Vector.of(types.get(input), tileRows);
            vectors[input] = vector;
        }
        if (!complete[input]) {
            boolean dense = !rows.isSparse();
            fill(input, vector, dense ? null : rows);
            complete[input] = dense;
        }
        return vector;
    }

    private void fill(int input, Vector vector, Mask rows) {
        Column column = batch.column(input);
        loadValidity(column.validity(), vector);
        int count = rows == null ? rowCount : rows.count();
        NarrowColumn narrow = batch.narrow(input);
        if (narrow != null) {
            ColumnLoads.narrow(narrow, firstRow, rowCount, rows, vector);
            loadedBytes += (long) count * narrow.width();
            return;
        }
        switch (column) {
            case BoolColumn bools -> ColumnLoads.bools(bools.bits(), firstRow, rowCount, (BoolVector) vector);
            case Utf8Column texts -> {
                ColumnLoads.texts(texts, firstRow, rowCount, rows, (TextVector) vector);
                loadedBytes += count * 4L;
            }
            case DictionaryColumn codes -> {
                ColumnLoads.codes(codes, firstRow, rowCount, rows, (TextVector) vector);
                loadedBytes += (long) count * codes.codeBytes();
            }
            case FixedColumn fixed -> {
                ColumnLoads.fixed(fixed, firstRow, rowCount, rows, vector);
                loadedBytes += (long) count * fixed.type().byteWidth();
            }
        }
    }

    private void loadValidity(Validity validity, Vector vector) {
        if (validity.isAllPresent()) {
            vector.setAllPresent();
            return;
        }
        long[] words = vector.writableValidity();
        int wordCount = Bits.words(rowCount);
        long absent = 0;
        for (int word = 0; word < wordCount; word++) {
            words[word] = validity.word(firstRow + word * 64L);
            absent |= ~words[word] & (word == wordCount - 1 && (rowCount & 63) != 0 ? (1L << rowCount) - 1 : -1L);
        }
        if (absent == 0) {
            vector.setAllPresent();
        }
    }
}
