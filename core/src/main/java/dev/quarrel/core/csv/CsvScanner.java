package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import java.io.InputStream;

/// Finds the rows of CSV. Quotes may begin and end anywhere in a field, as in PostgreSQL, and a line's end between them
/// ends no row.
///
/// - Source: PostgreSQL's `copyfromparse.c`, CopyReadLineText.
final class CsvScanner extends RowScanner {
    private final byte quote;
    private final byte escape;
    private final ByteSearch plain;
    private final ByteSearch quoted;
    private boolean isQuoted;

    CsvScanner(String name, InputStream in, CsvFormat format) {
        super(name, in);
        this.quote = format.quote();
        this.escape = format.escape();
        this.plain = new ByteSearch(quote, '\n', '\r');
        this.quoted = new ByteSearch(quote, escape, '\n');
    }

    @Override
    int rowEnd() {
        while (true) {
            at = (isQuoted ? quoted : plain).find(buffer, at, end);
            if (at == end) {
                if (!isOver) {
                    return BEYOND;
                }
                lines++;
                if (isQuoted) {
                    showRow();
                    throw wrong("unterminated CSV quoted field");
                }
                return at;
            }
            byte each = buffer[at];
            boolean isLast = at + 1 == end;
            if (isLast && !isOver && (each == '\r' || each == escape && escape != quote)) {
                return BEYOND; // the byte behind it matters
            }
            if (!isQuoted && each == '\n') {
                return endLine(LineEnd.NEWLINE, at);
            }
            if (!isQuoted && each == '\r') {
                return endLine(!isLast && buffer[at + 1] == '\n' ? LineEnd.BOTH : LineEnd.RETURN, at);
            }
            if (isQuoted && each == escape && escape != quote) {
                at += !isLast && (buffer[at + 1] == quote || buffer[at + 1] == escape) ? 1 : 0;
            } else if (each == quote) {
                isQuoted = !isQuoted; // of two, the second opens it again
            } else {
                lines++;
            }
            at++;
        }
    }

    @Override
    QueryException strayEnd(boolean isNewline) {
        return wrong("unquoted " + (isNewline ? "newline" : "carriage return") + " found in data")
                .withHint("Use quoted CSV field to represent " + (isNewline ? "newline." : "carriage return."));
    }
}
