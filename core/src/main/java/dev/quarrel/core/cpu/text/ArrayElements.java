package dev.quarrel.core.cpu.text;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The elements of an array's text, one after the other; nothing is allocated for those without backslashes.
///
/// It trusts the text to be an array as `ArrayWriter` and PostgreSQL write it.
public final class ArrayElements {
    private byte[] array;
    private int at;
    private int end; // where the closing brace is
    private byte[] scratch = new byte[64];

    /// The current element's text; nothing that counts where it is NULL.
    public byte[] bytes;
    public int start;
    public int length;
    public boolean isNull;

    /// Stands before the first element.
    ///
    /// - Errors: `QueryException` 0A000 for an array of several dimensions, or counted from another number than 1.
    public void open(TextReader text) {
        array = text.bytes;
        boolean isBounded = text.length > 0 && array[text.start] == '[';
        boolean isNested = text.length > 1 && array[text.start + 1] == '{';
        if (isBounded || isNested) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: an array of several dimensions, or counted from another number than 1, here");
        }
        at = text.start + 1;
        end = text.end() - 1;
    }

    /// Moves to the next element.
    ///
    /// @return false behind the last
    public boolean next() {
        if (at >= end) {
            return false;
        }
        if (array[at] == '"') {
            quoted();
        } else {
            plain();
        }
        return true;
    }

    /// Moves to the element of that number, from 1.
    boolean find(int number) {
        if (number < 1) {
            return false;
        }
        for (int count = number; count > 0; count--) {
            if (!next()) {
                return false;
            }
        }
        return true;
    }

    private void plain() {
        bytes = array;
        start = at;
        while (at < end && array[at] != ',') {
            at++;
        }
        length = at - start;
        at++;
        isNull = length == 4
                && array[start] == 'N'
                && array[start + 1] == 'U'
                && array[start + 2] == 'L'
                && array[start + 3] == 'L';
    }

    private void quoted() {
        isNull = false;
        start = at + 1;
        int escapes = 0;
        int last = start;
        while (last < end && array[last] != '"') {
            if (array[last] == '\\') {
                escapes++;
                last++;
            }
            last++;
        }
        last = Math.min(last, end);
        length = last - start - escapes;
        bytes = array;
        at = last + 2; // behind the quote and the comma
        if (escapes > 0) {
            unescape(last);
        }
    }

    private void unescape(int last) {
        if (scratch.length < length) {
            scratch = new byte[Math.max(length, 2 * scratch.length)];
        }
        int to = 0;
        for (int from = start; from < last && to < length; from++) {
            if (array[from] == '\\' && from + 1 < last) {
                from++;
            }
            scratch[to++] = array[from];
        }
        bytes = scratch;
        start = 0;
    }
}
