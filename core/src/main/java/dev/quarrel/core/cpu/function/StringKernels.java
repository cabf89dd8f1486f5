package dev.quarrel.core.cpu.function;

import dev.quarrel.core.collate.Utf8;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.text.Translation;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of text, or bytes, that give such. Characters are code points; case is ASCII's, as under collation "C".
///
/// - Source: PostgreSQL's `oracle_compat.c`, `varlena.c` (split_part), `formatting.c` (asc_initcap).
final class StringKernels {
    /// The most characters of a padded text: PostgreSQL takes each for one of four bytes.
    private static final int MAX_PADDED = (0x3FFF_FFFF - 4) / 4;

    private static final int MAX_NAME = 63;
    private static final byte[] BLANK = {' '};
    private static final byte[] NULL = {'N', 'U', 'L', 'L'};

    private StringKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("initcap", () -> BatchFunction.eachRow(StringKernels::initcap));
        kernels.put("split_part", () -> BatchFunction.eachRow(StringKernels::splitPart));
        for (boolean isLeft : new boolean[] {true, false}) {
            String name = isLeft ? "lpad" : "rpad";
            kernels.put(
                    name,
                    () -> BatchFunction.eachRow((in, out, row) -> {
                        TextReader fill = in.text(2);
                        pad(isLeft, in, fill.bytes, fill.start, fill.length, (TextVector) out, row);
                    }));
            kernels.put(
                    name + "_blanks",
                    () -> BatchFunction.eachRow((in, out, row) -> pad(isLeft, in, BLANK, 0, 1, (TextVector) out, row)));
        }
        kernels.put("text_name", () -> BatchFunction.eachRow((in, out, row) -> name(in, out, row, false)));
        kernels.put("bpchar_name", () -> BatchFunction.eachRow((in, out, row) -> name(in, out, row, true)));
        kernels.put("repeat", () -> BatchFunction.eachRow(StringKernels::repeat));
        kernels.put("ascii", () -> BatchFunction.eachRow(StringKernels::ascii));
        kernels.put("chr", () -> BatchFunction.eachRow(StringKernels::chr));
        kernels.put("translate", () -> BatchFunction.eachRow(new Translation()));
        kernels.put(
                "text_starts_with",
                () -> BatchFunction.eachRow(
                        (in, out, row) -> Results.bool(out, row, startsWith(in.text(0), in.text(1)))));
        kernels.put(
                "quote_literal",
                () -> BatchFunction.eachRow((in, out, row) -> quote(in.text(0), (TextVector) out, row)));
        kernels.put(
                "quote_nullable",
                () -> BatchFunction.eachRow((in, out, row) -> {
                    if (in.isNull(0)) {
                        ((TextVector) out).append(row, NULL, 0, NULL.length);
                    } else {
                        quote(in.text(0), (TextVector) out, row);
                    }
                }));
        kernels.put("like_escape", () -> BatchFunction.eachRow(StringKernels::likeEscape));
        for (String id : new String[] {"textoverlay", "textoverlay_no_len"}) {
            kernels.put(id, () -> BatchFunction.eachRow((in, out, row) -> overlay(true, in, (TextVector) out, row)));
        }
        for (String id : new String[] {"byteaoverlay", "byteaoverlay_no_len"}) {
            kernels.put(id, () -> BatchFunction.eachRow((in, out, row) -> overlay(false, in, (TextVector) out, row)));
        }
    }

    /// As many whole characters as a name has room for.
    ///
    /// @param isBlankPadded whether blanks at the end are none of it
    private static void name(Arguments in, Vector out, int row, boolean isBlankPadded) {
        TextReader text = in.text(0);
        int end = text.end();
        if (text.length > MAX_NAME) {
            end = text.start + MAX_NAME;
            while (end > text.start && (text.bytes[end] & 0xC0) == 0x80) {
                end--;
            }
        }
        while (isBlankPadded && end > text.start && text.bytes[end - 1] == ' ') {
            end--;
        }
        ((TextVector) out).append(row, text.bytes, text.start, end - text.start);
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

    /// As many characters as argument 1 says: the text's first ones, or all of them before or behind the filling.
    private static void pad(
            boolean isLeft, Arguments in, byte[] fill, int fillStart, int fillLength, TextVector out, int row) {
        TextReader text = in.text(0);
        int wanted = Math.max(in.int32(1), 0);
        if (wanted > MAX_PADDED) {
            throw tooLong();
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
        int filling = TextVector.checkedLength((long) (missing / fillCharacters) * fillLength + rest);
        int place = out.begin(row, TextVector.checkedLength((long) filling + kept));
        byte[] buffer = out.buffer();
        int start = isLeft ? place : place + kept;
        for (int done = 0; done < filling; done += fillLength) {
            System.arraycopy(fill, fillStart, buffer, start + done, Math.min(fillLength, filling - done));
        }
        System.arraycopy(text.bytes, text.start, buffer, isLeft ? place + filling : place, kept);
    }

    private static QueryException tooLong() {
        return new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
    }

    private static void repeat(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        long length = (long) text.length * Math.max(in.int32(1), 0);
        TextVector result = (TextVector) out;
        int place = result.begin(row, TextVector.checkedLength(length));
        for (int done = 0; done < length; done += text.length) {
            System.arraycopy(text.bytes, text.start, result.buffer(), place + done, text.length);
        }
    }

    /// The first character's code point; 0 for an empty text.
    private static void ascii(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        Results.int32(out, row, text.length == 0 ? 0 : Utf8.codePoint(text.bytes, text.start));
    }

    private static void chr(Arguments in, Vector out, int row) {
        int point = in.int32(0);
        if (point < 0) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "character number must be positive");
        }
        if (point == 0) {
            throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "null character not permitted");
        }
        if (point > Character.MAX_CODE_POINT) {
            throw new QueryException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED, "requested character too large for encoding: " + point);
        }
        if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
            throw new QueryException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED, "requested character not valid for encoding: " + point);
        }
        byte[] bytes = Character.toString(point).getBytes(StandardCharsets.UTF_8);
        ((TextVector) out).append(row, bytes, 0, bytes.length);
    }

    private static boolean startsWith(TextReader text, TextReader prefix) {
        return prefix.length <= text.length
                && Utf8.regionMatches(text.bytes, text.start, prefix.bytes, prefix.start, prefix.length);
    }

    /// In quotes, which are doubled within; one with a backslash is an E'…' string whose backslashes are doubled.
    private static void quote(TextReader text, TextVector out, int row) {
        byte[] from = text.bytes;
        int backslashes = 0;
        int doubled = 0;
        for (int index = text.start; index < text.end(); index++) {
            backslashes += from[index] == '\\' ? 1 : 0;
            doubled += from[index] == '\'' || from[index] == '\\' ? 1 : 0;
        }
        int opening = backslashes > 0 ? 2 : 1;
        int place = out.begin(row, TextVector.checkedLength((long) opening + text.length + doubled + 1));
        byte[] to = out.buffer();
        if (backslashes > 0) {
            to[place++] = 'E';
        }
        to[place++] = '\'';
        for (int index = text.start; index < text.end(); index++) {
            if (from[index] == '\'' || from[index] == '\\') {
                to[place++] = from[index];
            }
            to[place++] = from[index];
        }
        to[place] = '\'';
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

    /// `(pattern, escape)`: the pattern of LIKE with the backslash in place of the escape character.
    ///
    /// - Errors: 22025 for more than one character.
    private static void likeEscape(Arguments in, Vector out, int row) {
        String pattern = in.text(0).string();
        String escape = in.text(1).string();
        if (escape.codePointCount(0, escape.length()) > 1) {
            throw new QueryException(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                    .withHint("Escape string must be empty or one character.");
        }
        if (escape.equals("\\")) {
            Results.set(out, row, pattern);
            return;
        }
        int character = escape.isEmpty() ? -1 : escape.codePointAt(0);
        StringBuilder result = new StringBuilder();
        boolean isEscaped = false;
        for (int each : pattern.codePoints().toArray()) {
            if (each == character && !isEscaped) {
                result.append('\\');
                isEscaped = true;
            } else {
                result.append(each == '\\' && !isEscaped ? "\\" : "").appendCodePoint(each);
                isEscaped = false;
            }
        }
        Results.set(out, row, result.toString());
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
