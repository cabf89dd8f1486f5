package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Utf8;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of text, or bytes, that give such. Characters are code points; case is ASCII's, as under collation "C".
///
/// - Source: PostgreSQL's `oracle_compat.c`, `varlena.c` (split_part), `formatting.c` (asc_initcap).
final class StringKernels {
    /// The most characters of a padded text: PostgreSQL takes each for one of four bytes.
    private static final int MAX_PADDED = (0x3FFF_FFFF - 4) / 4;

    private static final byte[] BLANK = {' '};

    private StringKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("initcap", () -> Kernels.eachRow(StringKernels::initcap));
        kernels.put("split_part", () -> Kernels.eachRow(StringKernels::splitPart));
        kernels.put(
                "lpad",
                () -> Kernels.eachRow((in, out, row) -> {
                    TextReader fill = in.text(2);
                    padLeft(in, fill.bytes, fill.start, fill.length, (TextVector) out, row);
                }));
        kernels.put(
                "lpad_blanks",
                () -> Kernels.eachRow((in, out, row) -> padLeft(in, BLANK, 0, 1, (TextVector) out, row)));
        for (String id : new String[] {"textoverlay", "textoverlay_no_len"}) {
            kernels.put(id, () -> Kernels.eachRow((in, out, row) -> overlay(true, in, (TextVector) out, row)));
        }
        for (String id : new String[] {"byteaoverlay", "byteaoverlay_no_len"}) {
            kernels.put(id, () -> Kernels.eachRow((in, out, row) -> overlay(false, in, (TextVector) out, row)));
        }
    }

    /// Words are letters and digits: the first character of each in upper case, the others in lower case.
    private static void initcap(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextVector result = (TextVector) out;
        int place = result.begin(row, text.length);
        boolean isInWord = false;
        for (int index = 0; index < text.length; index++) {
            byte character = text.bytes[text.start + index];
            byte upper = Utf8.upper(character);
            result.buffer()[place + index] = isInWord ? Utf8.lower(character) : upper;
            isInWord = upper >= 'A' && upper <= 'Z' || character >= '0' && character <= '9';
        }
    }

    /// As many characters as argument 1 says: the text's first ones, or all of them behind the filling.
    private static void padLeft(Arguments in, byte[] fill, int fillStart, int fillLength, TextVector out, int row) {
        TextReader text = in.text(0);
        int wanted = Math.max(in.int32(1), 0);
        if (wanted > MAX_PADDED) {
            throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
        }
        int length = Math.min(Utf8.count(text.bytes, text.start, text.end()), wanted);
        int kept = Utf8.skip(text.bytes, text.start, text.end(), length) - text.start;
        if (fillLength == 0 || length == wanted) {
            out.append(row, text.bytes, text.start, kept);
            return;
        }
        int missing = wanted - length;
        int fillCharacters = Utf8.count(fill, fillStart, fillStart + fillLength);
        int rest = Utf8.skip(fill, fillStart, fillStart + fillLength, missing % fillCharacters) - fillStart;
        long filling = (long) (missing / fillCharacters) * fillLength + rest;
        int place = out.begin(row, TextVector.checkedLength(filling + kept));
        byte[] buffer = out.buffer();
        int end = place + (int) filling;
        for (int at = place; at < end; at += fillLength) {
            System.arraycopy(fill, fillStart, buffer, at, Math.min(fillLength, end - at));
        }
        System.arraycopy(text.bytes, text.start, buffer, end, kept);
    }

    /// `(text, part, start [, length])`: the part in place of as many characters as are given, or as it has itself.
    private static void overlay(boolean isText, Arguments in, TextVector out, int row) {
        TextReader text = in.text(0);
        TextReader part = in.text(1);
        int start = in.int32(2);
        int length = in.count() > 3 ? in.int32(3) : length(isText, part);
        if (start <= 0) {
            throw new QueryException(SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        if ((long) start + length != start + length) {
            throw RowErrors.outOfRange("integer");
        }
        int head = skip(isText, text, start - 1);
        int tail = skip(isText, text, Math.max(0, start - 1 + length));
        int place = out.begin(row, TextVector.checkedLength((long) head + part.length + (text.length - tail)));
        System.arraycopy(text.bytes, text.start, out.buffer(), place, head);
        System.arraycopy(part.bytes, part.start, out.buffer(), place + head, part.length);
        System.arraycopy(text.bytes, text.start + tail, out.buffer(), place + head + part.length, text.length - tail);
    }

    private static int length(boolean isText, TextReader value) {
        return isText ? Utf8.count(value.bytes, value.start, value.end()) : value.length;
    }

    /// Bytes of the first `count` characters, or bytes.
    private static int skip(boolean isText, TextReader value, int count) {
        return isText
                ? Utf8.skip(value.bytes, value.start, value.end(), count) - value.start
                : Math.min(count, value.length);
    }

    /// The part number argument 2 between the separators argument 1; a negative number counts from the end.
    private static void splitPart(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        TextReader separator = in.text(1);
        int wanted = in.int32(2);
        if (wanted == 0) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "field position must not be zero");
        }
        TextVector result = (TextVector) out;
        if (separator.length == 0 || text.length == 0) {
            result.append(row, text.bytes, text.start, wanted == 1 || wanted == -1 ? text.length : 0);
            return;
        }
        int part = wanted > 0 ? wanted : parts(text, separator) + wanted + 1;
        int start = text.start;
        int found = find(text, start, separator);
        for (int index = 1; index < part && start >= 0; index++) {
            start = found < 0 ? -1 : found + separator.length;
            found = start < 0 ? -1 : find(text, start, separator);
        }
        if (part <= 0 || start < 0) {
            result.append(row, text.bytes, text.start, 0);
        } else {
            result.append(row, text.bytes, start, (found < 0 ? text.end() : found) - start);
        }
    }

    private static int parts(TextReader text, TextReader separator) {
        int count = 1;
        for (int at = find(text, text.start, separator); at >= 0; at = find(text, at + separator.length, separator)) {
            count++;
        }
        return count;
    }

    private static int find(TextReader text, int from, TextReader separator) {
        return Utf8.indexOf(text.bytes, from, text.end(), separator.bytes, separator.start, separator.length);
    }
}
