package dev.quarrel.cuda.group;

import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.TableUse;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.program.PipelineTables;
import java.util.List;

/// The passes of a pipeline whose join tables do not fit, each with the table of a range of one join's keys.
///
/// A row that the join lets through only where its key is there has it in one range: it counts in one pass, and
/// all passes add to the same cells.
///
/// @param join that is split, or -1
/// @param count of passes, 1 where everything fits
/// @param bytes of the tables of a pass at most
record Passes(int join, int count, long bytes) {
    private static final int MOST = 16;

    /// As few as fit; one where none do, or where nothing can be split.
    ///
    /// @param room for the tables
    static Passes of(Pipeline pipeline, EncodedPipeline encoded, PipelineFacts facts, long room) {
        long whole = PipelineTables.bytes(encoded, facts);
        int join = whole <= room ? -1 : largest(pipeline.joins(), encoded, facts);
        if (join < 0) {
            return new Passes(-1, 1, whole);
        }
        try {
            for (int count = 2; count <= MOST; count *= 2) {
                long most = 0;
                for (int part = 0; part < count; part++) {
                    facts.part(join, part, count);
                    most = Math.max(most, PipelineTables.bytes(encoded, facts));
                }
                if (most <= room) {
                    return new Passes(join, count, most);
                }
            }
            return new Passes(-1, 1, whole);
        } finally {
            facts.whole();
        }
    }

    /// The join of the widest table of keys, of those that may be split.
    private static int largest(List<Join> joins, EncodedPipeline encoded, PipelineFacts facts) {
        int largest = -1;
        for (TableUse use : encoded.tables()) {
            int join = use.keysOf();
            boolean canSplit = join >= 0
                    && (joins.get(join).kind() == JoinKind.INNER
                            || joins.get(join).kind() == JoinKind.SEMI);
            if (canSplit && (largest < 0 || bytes(join, facts) > bytes(largest, facts))) {
                largest = join;
            }
        }
        return largest;
    }

    private static long bytes(int join, PipelineFacts facts) {
        return facts.build(join).isDense()
                ? facts.build(join).width()
                : 4L * facts.build(join).keyedRows();
    }
}
