package dev.quarrel.cuda.encode;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;

/// The build side of a join, as far as the encoding of the join needs to know it.
public interface BuildSide extends AutoCloseable {
    /// What a key column counts in the number that several keys are together. Its digits are its values less
    /// the least one; behind them stands one for what lies outside.
    ///
    /// @param values from the least to the greatest
    record KeyRange(long least, long values, long stride) {
        static final KeyRange HOPED_FOR = new KeyRange(0, 1, 1);
    }

    /// Numbers of the different values of a column.
    ///
    /// @param numberOf by build row, or by what the build side has in its place
    /// @param rowOf by number, NULL's left out: a row that has the value
    /// @param nullNumber the number of NULL, or -1
    record Numbering(int[] numberOf, int[] rowOf, int nullNumber) {
        static final Numbering HOPED_FOR = new Numbering(new int[0], new int[1], -1);

        public int count() {
            return rowOf.length + (nullNumber >= 0 ? 1 : 0);
        }
    }

    int rowCount();

    /// Rows that have a key.
    int keyedRows();

    /// Whether each key comes once.
    boolean isUnique();

    /// Whether a table by key is small enough.
    boolean isDense();

    long least();

    /// Keys from the least to the greatest.
    long width();

    /// What a key column counts, where there are several.
    KeyRange keyRange(int key);

    /// Build rows of one key at most.
    int mostMatches();

    boolean hasNulls(int payload);

    /// The least and greatest value of a column of integers, or null.
    long[] bounds(int payload);

    /// @param needsNull whether NULL has a number in every case
    Numbering numbering(int payload, boolean needsNull);

    /// A column of some rows' values.
    ///
    /// @param rows as numberings have them; -1 for NULL
    Column gather(int payload, int[] rows, Allocator allocator);

    /// One of several parts by ranges of the key: about as many rows each, or, of a dense one, as many keys. Every row
    /// with a key is in exactly one of them. A part has all rows of this, at the same places; those of other parts
    /// have no key. So what is by row is the same for all parts.
    ///
    /// - Memory: a view of this, which closes nothing.
    BuildSide part(int number, int count);

    @Override
    void close();
}
