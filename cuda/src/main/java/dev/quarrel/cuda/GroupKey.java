package dev.quarrel.cuda;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.type.DataType;

/// A grouping column whose values are known beforehand: its digit in the number of the group is the value's number.
sealed interface GroupKey {
    /// How many numbers it has, NULL's among them.
    int values();

    /// The number of NULL, or -1 where there is none.
    int nullNumber();

    /// Integers and dates from `least` on.
    record Range(DataType type, long least, int values, int nullNumber) implements GroupKey {}

    /// Codes of a table's dictionary.
    record Codes(Dictionary dictionary, int values, int nullNumber) implements GroupKey {}

    /// False, true.
    record Truth(int values, int nullNumber) implements GroupKey {}

    /// A column of a build side, by the numbers of its different values.
    record OfBuild(int join, int column, DataType type, BuildSide.Numbering numbering) implements GroupKey {
        @Override
        public int values() {
            return numbering.count();
        }

        @Override
        public int nullNumber() {
            return numbering.nullNumber();
        }
    }
}
