package dev.quarrel.core.cpu.window;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// STRING_AGG and ARRAY_AGG over frames: all rows that count are joined once, and a frame's answer is a piece of
/// that.
final class WindowTexts {
    private final int[] before;
    private final boolean isArray;
    private final Reservation reservation;
    private final int[] starts; // by row that counts: where its text starts, behind its separator
    private final int[] ends;
    private final MemorySegment all;

    /// @param before rows that count, in front of each row
    /// @param isArray whether answers stand in braces
    WindowTexts(TextStore texts, TextStore separators, int[] before, Reservation reservation, boolean isArray) {
        this.before = before;
        this.isArray = isArray;
        this.reservation = reservation;
        int rowCount = before.length - 1;
        int counted = before[rowCount];
        reservation.grow(counted * 8L);
        this.starts = new int[counted];
        this.ends = new int[counted];
        long bytes = 0;
        for (int row = 0; row < rowCount; row++) {
            if (before[row + 1] > before[row]) {
                bytes += separators.isPresent(row) ? separators.length(row) : 0;
                starts[before[row]] = (int) bytes;
                bytes += texts.length(row);
                ends[before[row]] = (int) bytes;
            }
        }
        if (bytes > Integer.MAX_VALUE - 16) {
            throw tooLong();
        }
        reservation.grow(bytes);
        this.all = MemorySegment.ofArray(new byte[(int) bytes]);
        for (int row = 0; row < rowCount; row++) {
            if (before[row + 1] > before[row]) {
                int start = starts[before[row]];
                int length = separators.isPresent(row) ? separators.length(row) : 0;
                copy(separators, row, start - length, length);
                copy(texts, row, start, texts.length(row));
            }
        }
    }

    private static QueryException tooLong() {
        return new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                .withDetail("More than 2 GiB of text in one window would have to be held.");
    }

    private void copy(TextStore from, int row, int to, int length) {
        if (length > 0) {
            MemorySegment.copy(from.bytes(row), from.start(row), all, to, length);
        }
    }

    /// Appends each row's answer.
    void join(WindowFrames frames, int rowCount, TextStore result) {
        int[] runs = new int[6];
        for (int row = 0; row < rowCount; row++) {
            int runCount = frames.runs(row, runs);
            int pieces = 0;
            for (int run = 0; run < runCount; run++) {
                int first = before[runs[2 * run]];
                int end = before[runs[2 * run + 1]];
                if (first < end) {
                    // Behind another piece the first text has its separator, which ends where the text starts.
                    runs[2 * pieces] = pieces == 0 ? starts[first] : first == 0 ? 0 : ends[first - 1];
                    runs[2 * pieces + 1] = ends[end - 1];
                    pieces++;
                }
            }
            if (pieces == 0) {
                result.appendNull();
            } else if (pieces == 1 && !isArray) {
                result.appendValue(all, runs[0], runs[1] - runs[0]);
            } else {
                appendPieces(runs, pieces, result);
            }
        }
        reservation.shrink(starts.length * 8L + all.byteSize());
    }

    private void appendPieces(int[] runs, int pieces, TextStore result) {
        long length = isArray ? 2 : 0;
        for (int piece = 0; piece < pieces; piece++) {
            length += runs[2 * piece + 1] - runs[2 * piece];
        }
        reservation.grow(length);
        byte[] text = new byte[(int) length]; // pieces do not overlap
        int at = 0;
        if (isArray) {
            text[at++] = '{';
            text[text.length - 1] = '}';
        }
        for (int piece = 0; piece < pieces; piece++) {
            int size = runs[2 * piece + 1] - runs[2 * piece];
            MemorySegment.copy(all, ValueLayout.JAVA_BYTE, runs[2 * piece], text, at, size);
            at += size;
        }
        result.appendValue(MemorySegment.ofArray(text), 0, text.length);
        reservation.shrink(length);
    }
}
