package dev.quarrel.core.cpu.text;

import dev.quarrel.core.budget.Cancellation;
import java.nio.charset.StandardCharsets;

/// A text as the matcher of regular expressions reads it, character by character, which looks meanwhile whether the
/// query is still wanted: the matcher itself knows no end but the text's.
///
/// - Errors: the query's reason to stop, from `charAt`.
final class WatchedText implements CharSequence {
    /// Instructions of the matcher between two looks: a millisecond or two, once it is compiled.
    private static final int WORK_BETWEEN = 1 << 17;

    private final byte[] source;
    private final byte[] bytes; // of ASCII alone; null where `text` has the characters
    private final String text;
    private final int start;
    private final int length;
    private final int workOfStep;
    private int workLeft = WORK_BETWEEN;

    /// @param workOfStep instructions that the matcher may run for each character
    WatchedText(byte[] bytes, int start, int length, int workOfStep) {
        boolean isAscii = isAscii(bytes, start, length);
        this.source = bytes;
        this.bytes = isAscii ? bytes : null;
        this.text = isAscii ? null : new String(bytes, start, length, StandardCharsets.UTF_8);
        this.start = start;
        this.length = isAscii ? length : text.length();
        this.workOfStep = workOfStep;
    }

    private static boolean isAscii(byte[] bytes, int start, int length) {
        for (int index = start; index < start + length; index++) {
            if (bytes[index] < 0) {
                return false;
            }
        }
        return true;
    }

    /// The character that begins at a byte.
    int offset(int byteOffset) {
        return bytes == null ? new String(source, start, byteOffset, StandardCharsets.UTF_8).length() : byteOffset;
    }

    boolean isAscii() {
        return bytes != null;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public char charAt(int index) {
        workLeft -= workOfStep;
        if (workLeft < 0) {
            workLeft = WORK_BETWEEN;
            Cancellation.checkCurrent();
        }
        return bytes == null ? text.charAt(index) : (char) bytes[start + index];
    }

    @Override
    public CharSequence subSequence(int from, int to) {
        return toString().substring(from, to);
    }

    @Override
    public String toString() {
        return bytes == null ? text : new String(bytes, start, length, StandardCharsets.US_ASCII);
    }
}
