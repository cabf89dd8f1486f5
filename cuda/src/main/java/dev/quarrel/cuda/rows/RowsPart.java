package dev.quarrel.cuda.rows;

import dev.quarrel.cuda.column.Chunk;
import dev.quarrel.cuda.vm.ParameterBlock;

/// Rows of a chunk that a launch looks at.
///
/// @param start the first one, which begins a tile
/// @param end behind the last
public record RowsPart(Chunk chunk, int start, int end) {
    public RowsPart {
        if (start % ParameterBlock.PADDED_ROWS != 0) {
            throw new IllegalArgumentException("row " + start + " begins no tile");
        }
    }

    /// What is in another one, too.
    RowsPart within(RowsPart other) {
        return new RowsPart(chunk, Math.max(start, other.start), Math.min(end, other.end));
    }

    int rowCount() {
        return end - start;
    }

    /// The first row of the tile that a row is in.
    static int tileStart(int row) {
        return row / ParameterBlock.PADDED_ROWS * ParameterBlock.PADDED_ROWS;
    }
}
