package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.TextBuffer;
import java.util.Arrays;

/// An array of texts in the making, element by element; arrays are held as PostgreSQL writes them.
final class TextArray {
    private final TextBuffer text = new TextBuffer();
    private boolean isEmpty = true;

    void append(byte[] bytes, int start, int length) {
        comma();
        ArrayText.appendElement(start == 0 ? bytes : Arrays.copyOfRange(bytes, start, start + length), length, text);
    }

    void appendNull() {
        comma();
        text.appendAscii("NULL");
    }

    private void comma() {
        text.append(isEmpty ? '{' : ',');
        isEmpty = false;
    }

    /// Puts the array into a row, and begins the next one.
    void finish(TextVector out, int row) {
        close();
        out.append(row, text.array(), 0, text.length());
        clear();
    }

    /// The array as a value in canonical form; begins the next one.
    String finish() {
        close();
        String array = text.toString();
        clear();
        return array;
    }

    private void close() {
        text.appendAscii(isEmpty ? "{}" : "}");
    }

    private void clear() {
        text.clear();
        isEmpty = true;
    }
}
