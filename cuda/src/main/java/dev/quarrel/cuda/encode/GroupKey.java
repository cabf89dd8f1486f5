package dev.quarrel.cuda.encode;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.type.DataType;

/// A grouping column whose values are known beforehand: its digit in the number of the group is the value's number.
public sealed interface GroupKey {
    /// How many numbers it has, NULL's among them.
    long values();

    /// The number of NULL, or -1 where there is none.
    long nullNumber();

    /// Integers, dates and times from `least` on, so far apart or multiples of it.
    record Range(DataType type, long least, long step, long values, long nullNumber) implements GroupKey {}

    /// Codes of a table's dictionary.
    record Codes(Dictionary dictionary, long values, long nullNumber) implements GroupKey {}

    /// False, true.
    record Truth(long values, long nullNumber) implements GroupKey {}

    /// Any values of 64 bits, numbered by a table on the device: a value's place there, then all ones, then NULL.
    ///
    /// @param column its number among the keys
    record Found(int column, DataType type, int slots) implements GroupKey {
        @Override
        public long values() {
            return slots + 2L;
        }

        @Override
        public long nullNumber() {
            return slots + 1L;
        }
    }

    /// A column of a build side, by the numbers of its different values.
    record OfBuild(int join, int column, DataType type, BuildSide.Numbering numbering) implements GroupKey {
        @Override
        public long values() {
            return numbering.count();
        }

        @Override
        public long nullNumber() {
            return numbering.nullNumber();
        }
    }
}
