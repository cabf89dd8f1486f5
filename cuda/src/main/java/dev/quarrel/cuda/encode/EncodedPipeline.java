package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.VmProgram;
import java.util.List;

/// A pipeline as a program of the device.
///
/// @param inputs the source's columns that the program reads, by its numbers
/// @param forms of them, by number; of a column that the device writes too
/// @param tables likewise
/// @param keys of the groups
/// @param strides what a key's number counts in the number of the group
/// @param groups how many groups have cells: numbers, or slots of a table where numbers are too many; without keys the
/// parts of the one group
/// @param isHashed whether the number of a group is looked up in such a table
/// @param calls where the aggregates are in a group's words
public record EncodedPipeline(
        VmProgram program,
        List<Integer> inputs,
        List<ColumnForm> forms,
        List<TableUse> tables,
        List<GroupKey> keys,
        List<Long> strides,
        long groups,
        boolean isHashed,
        List<CallWords> calls) {
    /// Where an aggregate is in a group's words. Word 0 counts the group's rows.
    ///
    /// @param count the word that counts its values
    /// @param value the first word of its value; -1 for counts
    /// @param isWide whether a sum has two words
    /// @param sums the first words of exact sums of floats, in the order of the partial columns
    /// @param registerBits of a HyperLogLog, whose registers begin at `value`; otherwise 0
    public record CallWords(
            AggregateCall call, int count, int value, boolean isWide, List<Integer> sums, int registerBits) {
        CallWords(AggregateCall call, int count, int value, boolean isWide) {
            this(call, count, value, isWide, List.of(), 0);
        }

        CallWords placed(EncodedCells cells) {
            List<Integer> places = sums.stream().map(cells::place).toList();
            return new CallWords(call, count, cells.place(value), isWide, places, registerBits);
        }

        /// The same words for a call that needs the same.
        CallWords of(AggregateCall other) {
            return new CallWords(other, count, value, isWide, sums, registerBits);
        }
    }
}
