package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import java.io.InputStream;

/// Finds the rows of COPY's text format: a line's end behind a backslash ends no row, and a line of `\.` ends them all.
///
/// - Source: PostgreSQL's `copyfromparse.c`, CopyReadLineText.
final class TextScanner extends RowScanner {
    private static final ByteSearch STOPS = new ByteSearch('\n', '\r', '\\');

    TextScanner(String name, InputStream in) {
        super(name, in);
    }

    @Override
    int rowEnd() {
        while (true) {
            at = STOPS.find(buffer, at, end);
            if (at == end) {
                if (!isOver) {
                    return BEYOND;
                }
                lines++;
                return at;
            }
            byte each = buffer[at];
            if (each == '\n') {
                return endLine(LineEnd.NEWLINE, at);
            }
            if (at + 1 == end && !isOver) {
                return BEYOND; // the byte behind it matters
            }
            byte after = at + 1 < end ? buffer[at + 1] : 0;
            if (each == '\r') {
                return endLine(after == '\n' ? LineEnd.BOTH : LineEnd.RETURN, at);
            }
            if (after == '.') {
                return endOfCopy();
            }
            at = Math.min(end, at + 2); // what follows ends no line
        }
    }

    /// A line of `\.` alone.
    private int endOfCopy() {
        boolean isLast = at + 2 == end;
        if (isLast && !isOver) {
            return BEYOND;
        }
        lines++;
        boolean isAlone = at == rowStart && !isLast && (buffer[at + 2] == '\n' || buffer[at + 2] == '\r');
        if (!isAlone) {
            throw wrong("end-of-copy marker is not alone on its line");
        }
        return NONE;
    }

    @Override
    QueryException strayEnd(boolean isNewline) {
        return isNewline
                ? wrong("literal newline found in data").withHint("Use \"\\n\" to represent newline.")
                : wrong("literal carriage return found in data").withHint("Use \"\\r\" to represent carriage return.");
    }
}
