package dev.quarrel.core.arrow;

import java.util.List;

/// How many bytes of each of a column's buffers lie before a row: columns are read from there on.
///
/// Values within lists, and those of dense unions, stand where their offsets say: none of their bytes are before.
final class RowSkip {
    /// Rows are skipped in multiples of this, so that bits begin with a byte, and numbers where they did.
    static final int UNIT = 64;

    private final long[] bytes;
    private final int[] viewBuffers;
    private int buffer;
    private int view;

    private RowSkip(int bufferCount, int[] viewBuffers) {
        this.bytes = new long[bufferCount];
        this.viewBuffers = viewBuffers;
    }

    /// @param storage one of which [#isPossible]
    /// @param rows a multiple of [#UNIT]
    /// @param bufferCount of the column, with those within it
    /// @param viewBuffers the data buffers of each column of views in it
    static long[] bytes(Storage storage, long rows, int bufferCount, int[] viewBuffers) {
        RowSkip skip = new RowSkip(bufferCount, viewBuffers);
        skip.add(storage, rows);
        return skip.bytes;
    }

    /// Whether a column can be read from any row on: the ends of runs count from the first.
    static boolean isPossible(Storage storage) {
        return switch (storage) {
            case Storage.Runs _, Storage.Unreadable _ -> false;
            case Storage.Listed(Storage element, int _, Storage.ListForm _) -> isPossible(element);
            case Storage.ListedViews(Storage element, int _) -> isPossible(element);
            case Storage.Structured(List<String> _, List<Storage> members, boolean _) ->
                members.stream().allMatch(RowSkip::isPossible);
            case Storage.OneOf(List<String> _, List<Storage> members, List<Integer> _, boolean _) ->
                members.stream().allMatch(RowSkip::isPossible);
            case Storage.Spread(Storage values) -> isPossible(values);
            case Storage.Json(Storage values, JsonShape _) -> isPossible(values);
            case Storage.Fixed _,
                    Storage.Widened _,
                    Storage.Bits _,
                    Storage.Text _,
                    Storage.TextViews _,
                    Storage.FixedBytes _,
                    Storage.Coded _,
                    Storage.Gathered _,
                    Storage.HexBytes _,
                    Storage.UnscaledAndScale _,
                    Storage.AllNull _ -> true;
        };
    }

    private void add(Storage storage, long rows) {
        switch (storage) {
            case Storage.Fixed fixed -> values(rows, fixed.type().byteWidth());
            case Storage.Widened widened -> values(rows, widened.widening().sourceBytes());
            case Storage.FixedBytes(int width) -> values(rows, width);
            case Storage.Coded coded -> values(rows, coded.codeBytes());
            case Storage.Gathered gathered -> values(rows, gathered.codeBytes());
            case Storage.Bits _ -> {
                bits(rows);
                bits(rows);
            }
            case Storage.Text text -> {
                values(rows, text.largeOffsets() ? 8 : 4);
                buffer++;
            }
            case Storage.HexBytes _ -> {
                values(rows, 4);
                buffer++;
            }
            case Storage.TextViews _ -> {
                values(rows, ColumnReader.VIEW_BYTES);
                buffer += viewBuffers[view++];
            }
            case Storage.Listed(Storage element, int offsetBytes, Storage.ListForm _) -> {
                bits(rows);
                if (offsetBytes > 0) {
                    numbers(rows, offsetBytes);
                    add(element, 0);
                } else {
                    add(element, rows * -offsetBytes);
                }
            }
            case Storage.ListedViews(Storage element, int offsetBytes) -> {
                values(rows, offsetBytes);
                numbers(rows, offsetBytes);
                add(element, 0);
            }
            case Storage.Structured(List<String> _, List<Storage> members, boolean _) -> {
                bits(rows);
                members.forEach(member -> add(member, rows));
            }
            case Storage.OneOf(List<String> _, List<Storage> members, List<Integer> _, boolean isDense) -> {
                numbers(rows, 1);
                if (isDense) {
                    numbers(rows, 4);
                }
                members.forEach(member -> add(member, isDense ? 0 : rows));
            }
            case Storage.UnscaledAndScale _ -> {
                bits(rows);
                values(rows, 16);
                values(rows, 2);
            }
            case Storage.Runs(int _, Storage values) -> {
                buffer += 2; // of no rows that are skipped
                add(values, 0);
            }
            case Storage.Spread(Storage values) -> add(values, rows);
            case Storage.Json(Storage values, JsonShape _) -> add(values, rows);
            case Storage.AllNull _, Storage.Unreadable _ -> {}
        }
    }

    /// Validity, and values of one width.
    private void values(long rows, int width) {
        bits(rows);
        numbers(rows, width);
    }

    private void bits(long rows) {
        bytes[buffer++] = rows / 8;
    }

    private void numbers(long rows, int width) {
        bytes[buffer++] = rows * width;
    }
}
