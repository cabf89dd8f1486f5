package dev.quarrel.core.pg;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The fields of one text of a date, time or interval, told apart by their form alone.
///
/// - Source: PostgreSQL's `datetime.c` (ParseDateTime).
final class DateTimeFields {
    private static final int MAX_FIELDS = 25;

    enum FieldKind {
        NUMBER,
        WORD,
        DATE,
        TIME,
        ZONE,
        SIGNED_WORD
    }

    /// @param text in lower case, without the spaces behind a sign
    record TextField(FieldKind kind, String text) {}

    private final String text;
    private final DateTimeFault fault;
    private final List<TextField> fields = new ArrayList<>();

    private DateTimeFields(DateTimeFault fault) {
        this.text = fault.text();
        this.fault = fault;
    }

    /// Splits a text.
    ///
    /// - Errors: 22007 for characters that no field has, or more fields than any text has.
    static List<TextField> of(String text, String typeName) {
        return of(new DateTimeFault(text, typeName));
    }

    /// Splits the text that a fault would be told of.
    static List<TextField> of(DateTimeFault fault) {
        return new DateTimeFields(fault).split();
    }

    private List<TextField> split() {
        int end = text.length();
        int at = 0;
        while (at < end) {
            char next = text.charAt(at);
            if (PgParse.isSpace(next)) {
                at++;
            } else if (isDigit(next)) {
                at = splitNumber(at);
            } else if (next == '.') {
                int stop = at + 1;
                while (isDigit(charAt(stop))) {
                    stop++;
                }
                fields.add(new TextField(FieldKind.NUMBER, text.substring(at, stop)));
                at = stop;
            } else if (isLetter(next)) {
                at = splitWord(at);
            } else if (next == '+' || next == '-') {
                at = splitSigned(at);
            } else if (isPunctuation(next)) {
                at++;
            } else {
                throw fault.badFormat();
            }
            if (fields.size() > MAX_FIELDS) {
                throw fault.badFormat();
            }
        }
        return fields;
    }

    private int splitNumber(int start) {
        int at = start;
        while (isDigit(charAt(at))) {
            at++;
        }
        FieldKind kind = FieldKind.NUMBER;
        char delimiter = charAt(at);
        if (delimiter == ':') {
            kind = FieldKind.TIME;
            while (isDigit(charAt(at)) || charAt(at) == ':' || charAt(at) == '.') {
                at++;
            }
        } else if (delimiter == '-' || delimiter == '/' || delimiter == '.') {
            at++;
            if (isDigit(charAt(at))) {
                kind = delimiter == '.' ? FieldKind.NUMBER : FieldKind.DATE;
                while (isDigit(charAt(at))) {
                    at++;
                }
                if (charAt(at) == delimiter) {
                    kind = FieldKind.DATE;
                    while (isDigit(charAt(at)) || charAt(at) == delimiter) {
                        at++;
                    }
                }
            } else {
                kind = FieldKind.DATE;
                while (isDigit(charAt(at)) || isLetter(charAt(at)) || charAt(at) == delimiter) {
                    at++;
                }
            }
        }
        fields.add(new TextField(kind, text.substring(start, at).toLowerCase(Locale.ROOT)));
        return at;
    }

    private int splitWord(int start) {
        int at = start;
        while (isLetter(charAt(at))) {
            at++;
        }
        char next = charAt(at);
        boolean dated = next == '-' || next == '/' || next == '.';
        if (next == '+' || isDigit(next)) {
            dated = !DateTimeWords.isKeyword(text.substring(start, at).toLowerCase(Locale.ROOT));
        }
        if (dated) {
            while (isLetter(charAt(at))
                    || isDigit(charAt(at))
                    || (at < text.length() && "+-/_.:".indexOf(charAt(at)) >= 0)) {
                at++;
            }
        }
        fields.add(new TextField(
                dated ? FieldKind.DATE : FieldKind.WORD,
                text.substring(start, at).toLowerCase(Locale.ROOT)));
        return at;
    }

    private int splitSigned(int start) {
        int at = start + 1;
        while (at < text.length() && PgParse.isSpace(charAt(at))) {
            at++;
        }
        int body = at;
        FieldKind kind;
        if (isDigit(charAt(at))) {
            kind = FieldKind.ZONE;
            while (isDigit(charAt(at)) || (at < text.length() && ":.-".indexOf(charAt(at)) >= 0)) {
                at++;
            }
        } else if (isLetter(charAt(at))) {
            kind = FieldKind.SIGNED_WORD;
            while (isLetter(charAt(at))) {
                at++;
            }
        } else {
            throw fault.badFormat();
        }
        fields.add(new TextField(
                kind, text.charAt(start) + text.substring(body, at).toLowerCase(Locale.ROOT)));
        return at;
    }

    private char charAt(int index) {
        return index < text.length() ? text.charAt(index) : '\0';
    }

    static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    static boolean isLetter(char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    }

    private static boolean isPunctuation(char character) {
        return character > ' ' && character < 127 && !isDigit(character) && !isLetter(character);
    }
}
