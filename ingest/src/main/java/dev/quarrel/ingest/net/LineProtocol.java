package dev.quarrel.ingest.net;

import dev.quarrel.ingest.msgpack.MsgpackWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// Makes events of InfluxDB's lines: `measurement,tag=value field=1i,other="text" 1700000000000000000`.
///
/// The measurement is the table; tags are texts, fields integers (`i`, `u`), floats, booleans and texts. A field with a
/// tag's name is called `NAME_1`, as in InfluxDB's results.
///
/// - Source: InfluxDB's "Line protocol" reference.
final class LineProtocol {
    private final byte[] bytes;
    private final long unitNanos;
    private final Map<String, Events> tables = new LinkedHashMap<>();
    private final Set<String> tags = new HashSet<>(); // of the line
    private final Set<String> fields = new HashSet<>(); // of the line, as columns
    private int at;
    private int line;

    /// The events of a table.
    static final class Events {
        private final MsgpackWriter packed = new MsgpackWriter(1 << 12);
        private int count;

        MsgpackWriter packed() {
            return packed;
        }

        int count() {
            return count;
        }
    }

    private LineProtocol(byte[] bytes, long unitNanos) {
        this.bytes = bytes;
        this.unitNanos = unitNanos;
    }

    /// The events by table.
    ///
    /// - Errors: [FormatException] naming the line.
    ///
    /// @param unitNanos of the times that lines say
    static Map<String, Events> read(byte[] bytes, long unitNanos) {
        LineProtocol reader = new LineProtocol(bytes, unitNanos);
        while (reader.at < bytes.length) {
            reader.line++;
            reader.readLine();
        }
        return reader.tables;
    }

    private void readLine() {
        skip(' ');
        if (isEnd() || bytes[at] == '#') {
            toNextLine();
            return;
        }
        String measurement = name(",", "a measurement");
        Events events = tables.computeIfAbsent(measurement, _ -> new Events());
        MsgpackWriter out = events.packed;
        out.array(2);
        int timeAt = out.size();
        out.eventTime(0);
        int record = out.size();
        int map = out.begin();
        int pairs = 0;
        tags.clear();
        fields.clear();
        while (!isEnd() && bytes[at] == ',') {
            at++;
            String tag = name("=", "a tag's name");
            if (!tags.add(tag)) {
                throw wrong("the tag \"" + tag + "\" is there twice");
            }
            out.text(tag);
            expect('=');
            out.text(name(",", "a tag's value"));
            pairs++;
        }
        if (isEnd() || bytes[at] != ' ') {
            throw wrong("fields are expected");
        }
        skip(' ');
        do {
            out.text(column(name("=", "a field's name")));
            expect('=');
            value(out);
            pairs++;
        } while (continues());
        out.endMap(map, pairs);
        skip(' ');
        out.replaceTime(timeAt, record, isEnd() ? Long.MIN_VALUE : time());
        skip(' ');
        if (!isEnd()) {
            throw wrong("something stands behind the time");
        }
        toNextLine();
        events.count++;
    }

    /// What a field is called beside the line's tags.
    private String column(String field) {
        String column = tags.contains(field) ? field + "_1" : field;
        if (tags.contains(column)) {
            throw wrong("the field \"" + field + "\" and the tag \"" + column + "\" are one column");
        }
        if (!fields.add(column)) {
            throw wrong("the field \"" + column + "\" is there twice");
        }
        return column;
    }

    private boolean continues() {
        if (!isEnd() && bytes[at] == ',') {
            at++;
            return true;
        }
        return false;
    }

    private boolean isEnd() {
        return at >= bytes.length || bytes[at] == '\n' || bytes[at] == '\r';
    }

    private void skip(char blank) {
        while (at < bytes.length && bytes[at] == blank) {
            at++;
        }
    }

    private void toNextLine() {
        while (at < bytes.length && bytes[at] != '\n') {
            at++;
        }
        at++;
    }

    private void expect(char each) {
        if (isEnd() || bytes[at] != each) {
            throw wrong("\"" + each + "\" is expected");
        }
        at++;
    }

    /// Up to a blank or one of the ends, which `\` escapes.
    private String name(String ends, String what) {
        int from = at;
        boolean isEscaped = false;
        while (!isEnd() && bytes[at] != ' ' && ends.indexOf(bytes[at]) < 0) {
            if (bytes[at] == '\\' && at + 1 < bytes.length && ", =\\".indexOf(bytes[at + 1]) >= 0) {
                isEscaped = true;
                at++;
            }
            at++;
        }
        at = Math.min(at, bytes.length);
        if (at == from) {
            throw wrong(what + " is expected");
        }
        String text = new String(bytes, from, at - from, StandardCharsets.UTF_8);
        return isEscaped ? text.replaceAll("\\\\([, =\\\\])", "$1") : text;
    }

    private void value(MsgpackWriter out) {
        if (isEnd()) {
            throw wrong("a field's value is expected");
        }
        if (bytes[at] == '"') {
            out.text(quoted());
            return;
        }
        int from = at;
        while (!isEnd() && bytes[at] != ',' && bytes[at] != ' ') {
            at++;
        }
        String text = new String(bytes, from, at - from, StandardCharsets.UTF_8);
        switch (text) {
            case "t", "T", "true", "True", "TRUE" -> out.bool(true);
            case "f", "F", "false", "False", "FALSE" -> out.bool(false);
            default -> number(text, out);
        }
    }

    private void number(String text, MsgpackWriter out) {
        try {
            String digits = text.isEmpty() ? "" : text.substring(0, text.length() - 1);
            if (text.endsWith("i")) {
                out.integer(Long.parseLong(digits));
            } else if (text.endsWith("u")) {
                long value = Long.parseUnsignedLong(digits);
                if (value < 0) {
                    out.unsigned(value);
                } else {
                    out.integer(value);
                }
            } else if (text.matches("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?")) {
                double value = Double.parseDouble(text);
                if (Double.isInfinite(value)) {
                    throw wrong("\"" + text + "\" is beyond double precision");
                }
                out.real(value);
            } else {
                throw wrong("\"" + text + "\" is no value of a field");
            }
        } catch (NumberFormatException _) {
            throw wrong("\"" + text + "\" is no integer of 64 bits");
        }
    }

    /// A text may hold line ends; `\"` and `\\` are escapes.
    private String quoted() {
        at++;
        StringBuilder text = new StringBuilder();
        int from = at;
        while (at < bytes.length && bytes[at] != '"') {
            if (bytes[at] == '\\' && at + 1 < bytes.length && (bytes[at + 1] == '"' || bytes[at + 1] == '\\')) {
                text.append(new String(bytes, from, at - from, StandardCharsets.UTF_8));
                at++;
                from = at;
            }
            at++;
        }
        if (at >= bytes.length) {
            throw wrong("a text does not end");
        }
        text.append(new String(bytes, from, at - from, StandardCharsets.UTF_8));
        at++;
        return text.toString();
    }

    private long time() {
        int from = at;
        while (!isEnd() && bytes[at] != ' ') {
            at++;
        }
        String text = new String(bytes, from, at - from, StandardCharsets.UTF_8);
        try {
            return TimeUnitName.micros(Long.parseLong(text), unitNanos);
        } catch (ArithmeticException | NumberFormatException _) {
            throw wrong("\"" + text + "\" is no time");
        }
    }

    private FormatException wrong(String message) {
        return new FormatException(line, message);
    }
}
