package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/// Cuts CSV into rows.
///
/// Quotes may begin and end anywhere in a field, as in PostgreSQL; lines end as the first one does.
///
/// - Source: PostgreSQL's `copyfromparse.c`, CopyReadLineText and CopyReadAttributesCSV.
final class CsvRows extends FieldRows {
    private final CsvFormat format;

    CsvRows(InputStream in, CsvFormat format) {
        super(in, format.nullText());
        this.format = format;
    }

    @Override
    QueryException strayEnd(boolean isNewline) {
        return wrong("unquoted " + (isNewline ? "newline" : "carriage return") + " found in data")
                .withHint("Use quoted CSV field to represent " + (isNewline ? "newline." : "carriage return."));
    }

    @Override
    int rowEnd() throws IOException {
        boolean isQuoted = false;
        int at = next;
        byte quote = format.quote();
        byte escape = format.escape();
        while (true) {
            if (at == end) {
                int shift = next;
                boolean isMore = !isOver && fill(next);
                at -= shift - next;
                if (isMore) {
                    continue;
                }
                if (isQuoted) {
                    lines++;
                    throw wrong("unterminated CSV quoted field");
                }
                lines++;
                return at;
            }
            byte each = buffer[at];
            if (isQuoted) {
                if (each == escape && escape != quote) {
                    if (at + 1 == end) {
                        int shift = next;
                        boolean isMore = !isOver && fill(next);
                        at -= shift - next;
                        if (isMore) {
                            continue;
                        }
                    } else if (buffer[at + 1] == quote || buffer[at + 1] == escape) {
                        at++;
                    }
                } else if (each == quote) {
                    isQuoted = false; // a second one opens it again
                } else if (each == '\n') {
                    lines++;
                }
            } else if (each == quote) {
                isQuoted = true;
            } else if (each == '\n') {
                return endLine(LineEnd.NEWLINE, at);
            } else if (each == '\r') {
                if (at + 1 == end) {
                    int shift = next;
                    boolean isMore = !isOver && fill(next);
                    at -= shift - next;
                    if (isMore) {
                        continue;
                    }
                }
                boolean isBoth = at + 1 < end && buffer[at + 1] == '\n';
                return endLine(isBoth ? LineEnd.BOTH : LineEnd.RETURN, at);
            }
            at++;
        }
    }

    @Override
    void cut(int from, int to) {
        byte delimiter = format.delimiter();
        byte quote = format.quote();
        int at = from;
        while (true) {
            grow();
            int start = at;
            while (at < to && buffer[at] != delimiter && buffer[at] != quote) {
                at++;
            }
            starts[count] = start;
            lengths[count] = at - start;
            nulls[count] = false;
            quoted[count] = false;
            if (at < to && buffer[at] == quote) {
                quoted[count] = true;
                at = unquote(start, at, to);
            } else {
                nulls[count] = Arrays.equals(buffer, start, at, nullText, 0, nullText.length);
            }
            count++;
            if (at >= to) {
                return;
            }
            at++;
            if (at == to) { // a delimiter ends the row: an empty field follows
                continue;
            }
        }
    }

    /// Writes the field's value over it, which is never longer.
    ///
    /// @param from where quotes begin
    /// @return where the field ends
    private int unquote(int start, int from, int to) {
        byte quote = format.quote();
        byte escape = format.escape();
        byte delimiter = format.delimiter();
        boolean isQuoted = false;
        int target = from;
        int at = from;
        while (at < to) {
            byte each = buffer[at];
            if (!isQuoted && each == delimiter) {
                break;
            }
            boolean isEscaped =
                    isQuoted && each == escape && at + 1 < to && (buffer[at + 1] == quote || buffer[at + 1] == escape);
            if (isEscaped) {
                at++;
                buffer[target++] = buffer[at];
            } else if (each == quote) {
                isQuoted = !isQuoted;
            } else {
                buffer[target++] = each;
            }
            at++;
        }
        lengths[count] = target - start;
        return at;
    }
}
