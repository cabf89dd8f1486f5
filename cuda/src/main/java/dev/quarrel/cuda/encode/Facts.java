package dev.quarrel.cuda.encode;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.VmProgram;

/// The facts that the encoding of a pipeline needs beyond the plan.
public interface Facts {
    /// How a column of the source lies on the device: the same at each call.
    ///
    /// - Errors: [NoKernel] where it does not.
    ColumnForm form(int input);

    /// Whether a column of the source has NULLs.
    boolean isNullable(int input);

    /// The least and greatest value of an integer column, or null where unknown.
    long[] range(int input);

    /// Whether values of a column that stand near each other are near, as far as statistics of batches tell.
    boolean isClustered(int input);

    /// Rows of the source.
    long rowCount();

    /// Whether a column is text that has no dictionary.
    boolean isPlainText(int input);

    /// Bytes that the texts of such a column take, about; 0 of any other.
    long textBytes(int input);

    /// The code space of a text column.
    ///
    /// - Errors: [NoKernel] where it has none.
    Dictionary dictionary(int input);

    /// A join's build side, or null while it is not there: then everything is hoped for.
    BuildSide build(int join);

    Literal slotValue(int slot);

    /// Bytes of shared memory that a block may have for the cells of groups.
    default int blockBytes() {
        return VmProgram.MAX_BLOCK_BYTES;
    }

    /// Whether a condition on a text column is true or false for every text, and NULL for NULL.
    boolean isKnown(int input, Program condition);
}
