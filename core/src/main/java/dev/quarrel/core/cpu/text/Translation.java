package dev.quarrel.core.cpu.text;

import dev.quarrel.core.collate.Utf8;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;

/// `translate(text, from, to)`: each character that `from` has becomes that at the same place of `to`, or goes.
///
/// Where both are ASCII a table says of each byte what becomes of it; they are mostly the same in every row.
///
/// - Source: PostgreSQL's `oracle_compat.c` (translate).
public final class Translation implements RowFunction {
    private static final int ASCII = 128;
    private static final byte GONE = -1;

    private byte[] lastFrom = {};
    private byte[] lastTo = {};
    private final byte[] table = identity();

    private static byte[] identity() {
        byte[] table = new byte[ASCII];
        for (int character = 0; character < ASCII; character++) {
            table[character] = (byte) character;
        }
        return table;
    }

    @Override
    public void compute(Arguments in, Vector out, int row) {
        TextReader from = in.text(1);
        TextReader to = in.text(2);
        TextVector result = (TextVector) out;
        if (from.isSame(lastFrom) && to.isSame(lastTo)
                || isAscii(from) && isAscii(to) && prepare(from.copyOfBytes(), to.copyOfBytes())) {
            byTable(in.text(0), result, row);
        } else {
            byCharacter(in.text(0), from, to, result, row);
        }
    }

    private static boolean isAscii(TextReader text) {
        return Utf8.isAscii(text.bytes, text.start, text.end());
    }

    /// The first of equal characters counts.
    private boolean prepare(byte[] from, byte[] to) {
        System.arraycopy(identity(), 0, table, 0, ASCII);
        for (int index = from.length - 1; index >= 0; index--) {
            table[from[index]] = index < to.length ? to[index] : GONE;
        }
        lastFrom = from;
        lastTo = to;
        return true;
    }

    private void byTable(TextReader text, TextVector out, int row) {
        byte[] bytes = text.bytes;
        int place = out.begin(row, text.length);
        byte[] buffer = out.buffer();
        int end = place;
        for (int index = text.start; index < text.end(); index++) {
            byte each = bytes[index];
            byte with = each < 0 ? each : table[each];
            buffer[end] = with;
            end += each >= 0 && with == GONE ? 0 : 1;
        }
        out.shorten(row, end - place);
    }

    private static void byCharacter(TextReader text, TextReader from, TextReader to, TextVector out, int row) {
        out.begin(row, 0);
        int width;
        for (int at = text.start; at < text.end(); at += width) {
            width = Utf8.width(text.bytes[at]);
            int place = place(from, text.bytes, at, width);
            if (place < 0) {
                out.extend(row, text.bytes, at, width);
                continue;
            }
            int with = Utf8.skip(to.bytes, to.start, to.end(), place);
            if (with < to.end()) {
                out.extend(row, to.bytes, with, Utf8.width(to.bytes[with]));
            }
        }
    }

    /// Which of a text's characters is this one first; -1 for none.
    private static int place(TextReader set, byte[] bytes, int at, int width) {
        int place = 0;
        for (int index = set.start; index < set.end(); index += Utf8.width(set.bytes[index])) {
            if (Utf8.width(set.bytes[index]) == width && Utf8.regionMatches(set.bytes, index, bytes, at, width)) {
                return place;
            }
            place++;
        }
        return -1;
    }
}
