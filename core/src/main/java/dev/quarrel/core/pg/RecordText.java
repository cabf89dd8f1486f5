package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Reads a row's text: `(1,"a b",)`.
///
/// - Source: PostgreSQL's `rowtypes.c` (record_in).
public final class RecordText {
    private final String text;
    private int at;

    private RecordText(String text) {
        this.text = text;
    }

    /// The texts of the fields, null for NULL.
    ///
    /// - Errors: 22P02 for what is no row of so many fields.
    public static List<String> parse(String text, int count) {
        return new RecordText(text).fields(count);
    }

    private List<String> fields(int count) {
        skipBlanks();
        if (!isNext('(')) {
            throw malformed("Missing left parenthesis.");
        }
        at++;
        List<String> fields = new ArrayList<>();
        for (int field = 0; field < count; field++) {
            if (field > 0) {
                if (!isNext(',')) {
                    throw malformed("Too few columns.");
                }
                at++;
            }
            fields.add(isNext(',') || isNext(')') ? null : field());
        }
        if (!isNext(')')) {
            throw malformed("Too many columns.");
        }
        at++;
        skipBlanks();
        if (at < text.length()) {
            throw malformed("Junk after right parenthesis.");
        }
        return fields;
    }

    private String field() {
        StringBuilder value = new StringBuilder();
        boolean isQuoted = false;
        while (isQuoted || !isNext(',') && !isNext(')')) {
            char next = take();
            if (next == '\\') {
                value.append(take());
            } else if (next != '"') {
                value.append(next);
            } else if (!isQuoted) {
                isQuoted = true;
            } else if (isNext('"')) {
                value.append(take());
            } else {
                isQuoted = false;
            }
        }
        return value.toString();
    }

    private char take() {
        if (at == text.length()) {
            throw malformed("Unexpected end of input.");
        }
        return text.charAt(at++);
    }

    private boolean isNext(char wanted) {
        return at < text.length() && text.charAt(at) == wanted;
    }

    private void skipBlanks() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) >= '\t' && text.charAt(at) <= '\r')) {
            at++;
        }
    }

    private QueryException malformed(String detail) {
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "malformed record literal: \"" + text + "\"")
                .withDetail(detail);
    }
}
