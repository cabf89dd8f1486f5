package dev.quarrel.ingest.net;

import dev.quarrel.ingest.intake.IsoTime;
import dev.quarrel.ingest.msgpack.MsgpackWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/// Makes events of JSON: of an object a line, or of an array of objects.
///
/// An event's time is the first member among `time`, `@timestamp`, `timestamp` and `date` that says one: a text in
/// ISO 8601's form, or a number of seconds since 1970, or of another unit that the request names. It is no field then.
/// Without one it is the time of arrival.
///
/// - Source: RFC 8259.
final class JsonEvents {
    static final List<String> TIME_NAMES = List.of("time", "@timestamp", "timestamp", "date");
    private static final int MOST_DEPTH = 200;
    private static final int MOST_TIME_LENGTH = 40;
    private static final long MOST_MICROS = 62_135_596_800_000_000L; // as far as year 1 is from 1970, years 1 to 3938

    private final byte[] bytes;
    private final long unitNanos;
    private final MsgpackWriter out;
    private int at;
    private int line = 1;
    private int count;

    private JsonEvents(byte[] bytes, long unitNanos) {
        this.bytes = bytes;
        this.unitNanos = unitNanos;
        this.out = new MsgpackWriter(bytes.length + bytes.length / 8);
    }

    /// @param packed `[time, record]` one behind the other
    record Events(MsgpackWriter packed, int count) {}

    /// - Errors: [FormatException] naming the line.
    static Events read(byte[] bytes, long unitNanos) {
        JsonEvents reader = new JsonEvents(bytes, unitNanos);
        reader.readAll();
        return new Events(reader.out, reader.count);
    }

    private void readAll() {
        skipByteOrderMark();
        skipBlanks();
        if (at < bytes.length && bytes[at] == '[') {
            at++;
            skipBlanks();
            if (peek() != ']') {
                do {
                    event();
                } while (continues(']'));
            } else {
                at++;
            }
            skipBlanks();
            if (at < bytes.length) {
                throw wrong("something stands behind the array");
            }
            return;
        }
        while (at < bytes.length) {
            event();
            skipBlanks();
        }
    }

    /// RFC 8259 lets a reader pass over it; files of Windows' programs begin with one.
    private void skipByteOrderMark() {
        if (bytes.length >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF) {
            at = 3;
        }
    }

    private void event() {
        skipBlanks();
        if (peek() != '{') {
            throw wrong("an event is an object");
        }
        int head = out.size();
        out.array(2);
        out.eventTime(0); // for a time that may come
        int record = out.size();
        long time = members();
        out.replaceTime(head + 1, record, time);
        count++;
    }

    /// Writes an event's members; answers its time.
    private long members() {
        int map = out.begin();
        int pairs = 0;
        long time = IsoTime.NONE;
        at++;
        skipBlanks();
        if (peek() == '}') {
            at++;
            out.endMap(map, 0);
            return time;
        }
        do {
            skipBlanks();
            int keyAt = out.size();
            string();
            colon();
            int valueAt = at;
            boolean mayBeTime = time == IsoTime.NONE && isTimeName(keyAt);
            value(1);
            if (mayBeTime) {
                long found = time(valueAt, at);
                if (found != IsoTime.NONE) {
                    out.truncate(keyAt);
                    time = found;
                    continue;
                }
            }
            pairs++;
        } while (continues('}'));
        out.endMap(map, pairs);
        return time;
    }

    /// Whether the name that was written there is one of a time.
    private boolean isTimeName(int keyAt) {
        int size = out.size() - keyAt - 1;
        return size <= 10 && TIME_NAMES.contains(new String(out.array(), keyAt + 1, size, StandardCharsets.UTF_8));
    }

    /// The time that a value says, or none: also beyond year 9999, as a number of another unit is.
    private long time(int from, int to) {
        long micros = anyTime(from, to);
        return micros > MOST_MICROS || micros < -MOST_MICROS ? IsoTime.NONE : micros;
    }

    private long anyTime(int from, int to) {
        if (bytes[from] == '"') {
            return IsoTime.micros(bytes, from + 1, to - from - 2);
        }
        if (bytes[from] == '-' || isDigit(bytes[from])) {
            String text = new String(bytes, from, to - from, StandardCharsets.US_ASCII);
            try {
                return TimeUnitName.micros(Long.parseLong(text), unitNanos);
            } catch (NumberFormatException _) {
                if (text.length() > MOST_TIME_LENGTH || !(Math.abs(Double.parseDouble(text)) < 1e18)) {
                    return IsoTime.NONE;
                }
                BigDecimal micros = new BigDecimal(text).multiply(BigDecimal.valueOf(unitNanos, 3));
                return micros.setScale(0, RoundingMode.FLOOR).longValueExact();
            } catch (ArithmeticException _) {
                return IsoTime.NONE;
            }
        }
        return IsoTime.NONE;
    }

    private void value(int depth) {
        if (depth > MOST_DEPTH) {
            throw wrong("nested deeper than " + MOST_DEPTH + " levels");
        }
        switch (peek()) {
            case '"' -> string();
            case '{' -> {
                int map = out.begin();
                int pairs = 0;
                at++;
                skipBlanks();
                if (peek() == '}') {
                    at++;
                } else {
                    do {
                        skipBlanks();
                        string();
                        colon();
                        value(depth + 1);
                        pairs++;
                    } while (continues('}'));
                }
                out.endMap(map, pairs);
            }
            case '[' -> {
                int array = out.begin();
                int elements = 0;
                at++;
                skipBlanks();
                if (peek() == ']') {
                    at++;
                } else {
                    do {
                        skipBlanks();
                        value(depth + 1);
                        elements++;
                    } while (continues(']'));
                }
                out.endArray(array, elements);
            }
            case 't' -> {
                word("true");
                out.bool(true);
            }
            case 'f' -> {
                word("false");
                out.bool(false);
            }
            case 'n' -> {
                word("null");
                out.nil();
            }
            default -> number();
        }
    }

    private void word(String word) {
        for (int index = 0; index < word.length(); index++, at++) {
            if (at >= bytes.length || bytes[at] != word.charAt(index)) {
                throw wrong("a value is expected");
            }
        }
    }

    private void number() {
        int from = at;
        boolean isWhole = true;
        if (peek() == '-') {
            at++;
        }
        int digitsFrom = at;
        digits();
        if (bytes[digitsFrom] == '0' && at - digitsFrom > 1) {
            throw wrong("a number begins with 0");
        }
        if (at < bytes.length && bytes[at] == '.') {
            isWhole = false;
            at++;
            digits();
        }
        if (at < bytes.length && (bytes[at] | 0x20) == 'e') {
            isWhole = false;
            at++;
            if (at < bytes.length && (bytes[at] == '+' || bytes[at] == '-')) {
                at++;
            }
            digits();
        }
        if (isWhole && at - from <= 18) {
            out.integer(smallInteger(from));
            return;
        }
        String text = new String(bytes, from, at - from, StandardCharsets.US_ASCII);
        if (!isWhole) {
            double value = Double.parseDouble(text);
            if (Double.isInfinite(value)) {
                out.text(text); // greater than any: kept as it stands there
            } else {
                out.real(value);
            }
            return;
        }
        try {
            out.integer(Long.parseLong(text));
        } catch (NumberFormatException _) {
            out.text(text); // more than 64 bits: not rounded
        }
    }

    private long smallInteger(int from) {
        boolean isNegative = bytes[from] == '-';
        long value = 0;
        for (int index = isNegative ? from + 1 : from; index < at; index++) {
            value = value * 10 + bytes[index] - '0';
        }
        return isNegative ? -value : value;
    }

    private void digits() {
        int from = at;
        while (at < bytes.length && isDigit(bytes[at])) {
            at++;
        }
        if (at == from) {
            throw wrong("a value is expected");
        }
    }

    private static boolean isDigit(byte each) {
        return each >= '0' && each <= '9';
    }

    private void string() {
        if (peek() != '"') {
            throw wrong("a member's name is expected");
        }
        at++;
        int from = at;
        while (at < bytes.length && bytes[at] != '"' && bytes[at] != '\\') {
            if (bytes[at] >= 0 && bytes[at] < 0x20) {
                throw wrong("a control character stands in a text");
            }
            at++;
        }
        if (at < bytes.length && bytes[at] == '"') {
            out.text(bytes, from, at - from);
            at++;
            return;
        }
        StringBuilder text = new StringBuilder(new String(bytes, from, at - from, StandardCharsets.UTF_8));
        while (peek() != '"') {
            if (bytes[at] == '\\') {
                at++;
                escape(text);
            } else {
                int begin = at;
                while (at < bytes.length && bytes[at] != '"' && bytes[at] != '\\') {
                    if (bytes[at] >= 0 && bytes[at] < 0x20) {
                        throw wrong("a control character stands in a text");
                    }
                    at++;
                }
                text.append(new String(bytes, begin, at - begin, StandardCharsets.UTF_8));
            }
        }
        at++;
        replaceHalves(text);
        out.text(text.toString());
    }

    /// Surrogates that have no other half, which escapes may write, are no text.
    private static void replaceHalves(StringBuilder text) {
        for (int index = 0; index < text.length(); index++) {
            char each = text.charAt(index);
            if (Character.isHighSurrogate(each)
                    && index + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(index + 1))) {
                index++;
            } else if (Character.isSurrogate(each)) {
                text.setCharAt(index, '\uFFFD');
            }
        }
    }

    private void escape(StringBuilder text) {
        byte each = peek();
        at++;
        switch (each) {
            case '"', '\\', '/' -> text.append((char) each);
            case 'b' -> text.append('\b');
            case 'f' -> text.append('\f');
            case 'n' -> text.append('\n');
            case 'r' -> text.append('\r');
            case 't' -> text.append('\t');
            case 'u' -> {
                if (at + 4 > bytes.length) {
                    throw wrong("an escape ends too soon");
                }
                try {
                    text.append((char) HexFormat.fromHexDigits(new String(bytes, at, 4, StandardCharsets.US_ASCII)));
                } catch (NumberFormatException _) {
                    throw wrong("\\u wants four hexadecimal digits");
                }
                at += 4;
            }
            default -> throw wrong("\\" + (char) each + " means nothing");
        }
    }

    private void colon() {
        skipBlanks();
        if (peek() != ':') {
            throw wrong("a colon is expected");
        }
        at++;
        skipBlanks();
    }

    private boolean continues(char closing) {
        skipBlanks();
        byte each = peek();
        at++;
        if (each == ',') {
            return true;
        }
        if (each != closing) {
            throw wrong("a comma or " + closing + " is expected");
        }
        return false;
    }

    private void skipBlanks() {
        while (at < bytes.length) {
            switch (bytes[at]) {
                case '\n' -> line++;
                case ' ', '\t', '\r' -> {}
                default -> {
                    return;
                }
            }
            at++;
        }
    }

    private byte peek() {
        if (at >= bytes.length) {
            throw wrong("it ends too soon");
        }
        return bytes[at];
    }

    private FormatException wrong(String message) {
        return new FormatException(line, message);
    }
}
