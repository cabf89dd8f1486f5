package dev.quarrel.core.csv;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A row cut into its fields, which stand where the row stood: no objects are made of them, and what was in quotes or
/// escaped has been written over.
abstract sealed class RowFields permits CsvFields, TextFields {
    private static final int FIRST_FIELDS = 64;
    private static final int MAX_SHOWN = 100;
    private static final int LONGEST_CHARACTER = 4;

    private final byte[] nullText;
    // The row's beginning as it was, for messages.
    private final byte[] beginning = new byte[MAX_SHOWN + LONGEST_CHARACTER];
    private int beginningLength;

    byte[] bytes;
    int count;
    int[] starts = new int[FIRST_FIELDS];
    int[] lengths = new int[FIRST_FIELDS];
    boolean[] nulls = new boolean[FIRST_FIELDS];
    boolean[] quoted = new boolean[FIRST_FIELDS];
    boolean[] escaped = new boolean[FIRST_FIELDS];

    RowFields(String nullText) {
        this.nullText = nullText.getBytes(StandardCharsets.UTF_8);
    }

    final void cut(byte[] rows, int from, int to) {
        bytes = rows;
        beginningLength = Math.min(to - from, beginning.length);
        System.arraycopy(rows, from, beginning, 0, beginningLength);
        count = 0;
        cut(from, to);
    }

    /// Cuts `bytes`.
    abstract void cut(int from, int to);

    int count() {
        return count;
    }

    int start(int field) {
        return starts[field];
    }

    int length(int field) {
        return lengths[field];
    }

    boolean isNull(int field) {
        return nulls[field];
    }

    /// Whether a field has quotes around it, or around parts of it.
    boolean isQuoted(int field) {
        return quoted[field];
    }

    /// Whether a field has the text that stands for NULL, and quotes around it.
    boolean isQuotedNull(int field) {
        return quoted[field] && isNullText(starts[field], starts[field] + lengths[field]);
    }

    /// Whether bytes of a field may have come of escapes.
    boolean isEscaped(int field) {
        return escaped[field];
    }

    /// What stands for NULL.
    String nullText() {
        return new String(nullText, StandardCharsets.UTF_8);
    }

    final boolean isNullText(int from, int to) {
        return to - from == nullText.length && Arrays.equals(bytes, from, to, nullText, 0, nullText.length);
    }

    String text(int field) {
        return new String(bytes, starts[field], lengths[field], StandardCharsets.UTF_8);
    }

    /// A field's value, or its beginning.
    String shown(int field) {
        return shown(bytes, starts[field], starts[field] + lengths[field]);
    }

    /// The row as it was written, or its beginning.
    String shown() {
        return shown(beginning, 0, beginningLength);
    }

    static String shown(byte[] bytes, int from, int to) {
        int most = Math.min(to, from + MAX_SHOWN);
        while (most < to && most > from && (bytes[most] & 0xC0) == 0x80) {
            most--;
        }
        return new String(bytes, from, most - from, StandardCharsets.UTF_8) + (most < to ? "..." : "");
    }

    /// Adds a field that is as it is written.
    final void add(int from, int to) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
            nulls = Arrays.copyOf(nulls, count * 2);
            quoted = Arrays.copyOf(quoted, count * 2);
            escaped = Arrays.copyOf(escaped, count * 2);
        }
        starts[count] = from;
        lengths[count] = to - from;
        nulls[count] = isNullText(from, to);
        quoted[count] = false;
        escaped[count] = false;
        count++;
    }
}
