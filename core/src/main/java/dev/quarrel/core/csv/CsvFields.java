package dev.quarrel.core.csv;

/// Cuts rows of CSV.
///
/// - Source: PostgreSQL's `copyfromparse.c`, CopyReadAttributesCSV.
final class CsvFields extends RowFields {
    private final byte delimiter;
    private final byte quote;
    private final byte escape;
    private final ByteSearch stops;
    private final ByteSearch quotedStops;

    CsvFields(CsvFormat format) {
        super(format.nullText());
        this.delimiter = format.delimiter();
        this.quote = format.quote();
        this.escape = format.escape();
        this.stops = new ByteSearch(delimiter, quote, quote);
        this.quotedStops = new ByteSearch(quote, escape, escape);
    }

    @Override
    void cut(int from, int to) {
        int start = from;
        while (true) {
            int at = stops.find(bytes, start, to);
            if (at < to && bytes[at] == quote) {
                at = unquote(start, at, to);
            } else {
                add(start, at);
            }
            if (at >= to) {
                return;
            }
            start = at + 1; // an empty field follows where the delimiter ends the row
        }
    }

    /// Adds a field, whose value is written over it if it is not one of its parts: it is never longer.
    ///
    /// @param from where quotes begin
    /// @return where the field ends
    private int unquote(int start, int from, int to) {
        int quoteEnd = quotedStops.find(bytes, from + 1, to);
        boolean isWhole = from == start
                && quoteEnd < to
                && bytes[quoteEnd] == quote
                && (quoteEnd + 1 == to || bytes[quoteEnd + 1] == delimiter);
        if (isWhole) {
            addQuoted(from + 1, quoteEnd);
            return quoteEnd + 1;
        }
        boolean isQuoted = false;
        int target = from;
        int at = from;
        while (at < to && (isQuoted || bytes[at] != delimiter)) {
            byte each = bytes[at];
            boolean isEscaped =
                    isQuoted && each == escape && at + 1 < to && (bytes[at + 1] == quote || bytes[at + 1] == escape);
            if (isEscaped) {
                bytes[target++] = bytes[at + 1];
                at += 2;
            } else if (each == quote) {
                isQuoted = !isQuoted;
                at++;
            } else {
                int next = (isQuoted ? quotedStops : stops).find(bytes, at + 1, to);
                System.arraycopy(bytes, at, bytes, target, next - at);
                target += next - at;
                at = next;
            }
        }
        addQuoted(start, target);
        return at;
    }

    private void addQuoted(int from, int to) {
        add(from, to);
        nulls[count - 1] = false;
        quoted[count - 1] = true;
    }
}
