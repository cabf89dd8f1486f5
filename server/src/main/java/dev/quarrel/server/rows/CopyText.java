package dev.quarrel.server.rows;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.CopyOptions.Format;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// The formats text and csv: a line a row.
///
/// - Source: PostgreSQL's `copyto.c`, `CopyAttributeOutText` and `CopyAttributeOutCSV`.
final class CopyText extends CopyEncoder {
    private final List<ResultColumn> columns;
    private final CopyOptions options;
    private final Sink sink;
    private final boolean isCsv;
    private final byte[] nullText;
    private final ColumnEncoder[] encoders;
    private final boolean[] isPlain; // whether no value has a character to be escaped
    private final boolean[] isQuoted; // whether each value is
    private final boolean[] isSpecial = new boolean[256]; // bytes that are escaped, or for which csv takes quotes
    private final TextBuffer line = new TextBuffer(1024);
    private final TextBuffer value = new TextBuffer(256);

    CopyText(List<ResultColumn> columns, CopyOptions options, TextStyle style, Sink sink) {
        this.columns = columns;
        this.options = options;
        this.sink = sink;
        this.isCsv = options.format() == Format.CSV;
        this.nullText = options.nullText().getBytes(StandardCharsets.UTF_8);
        this.encoders = new ColumnEncoder[columns.size()];
        this.isPlain = new boolean[columns.size()];
        this.isQuoted = new boolean[columns.size()];
        boolean isUsual = "\t,|;".indexOf(options.delimiter()) >= 0 && (nullText.length == 0 || nullText[0] == '\\');
        for (int index = 0; index < encoders.length; index++) {
            ResultColumn column = columns.get(index);
            encoders[index] = RowEncoder.encoder(column, true, style);
            isPlain[index] = isUsual && options.quote() == '"' && column.other() == null && isPlain(column.type());
            isQuoted[index] =
                    isCsv && (options.quoted() == null || options.quoted().contains(column.name()));
        }
        isSpecial[options.delimiter() & 0xFF] = true;
        isSpecial['\n'] = true;
        isSpecial['\r'] = true;
        for (char escaped :
                isCsv ? new char[] {(char) options.quote()} : new char[] {'\\', '\b', '\f', '\t', '\u000B'}) {
            isSpecial[escaped] = true;
        }
    }

    private static boolean isPlain(PgType type) {
        return switch (type) {
            case BOOL, INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, UUID -> true;
            default -> false;
        };
    }

    @Override
    public void begin() throws IOException {
        if (!options.header()) {
            return;
        }
        line.clear();
        for (int index = 0; index < columns.size(); index++) {
            if (index > 0) {
                line.append(options.delimiter());
            }
            byte[] name = columns.get(index).name().getBytes(StandardCharsets.UTF_8);
            append(name, name.length, false);
        }
        line.append('\n');
        sink.send(line.array(), line.length());
    }

    @Override
    public void write(Batch batch) throws IOException {
        Validity[] validities = new Validity[encoders.length];
        for (int index = 0; index < encoders.length; index++) {
            encoders[index].open(batch.column(index));
            validities[index] = batch.column(index).validity();
        }
        for (int row = 0; row < batch.rowCount(); row++) {
            line.clear();
            for (int index = 0; index < encoders.length; index++) {
                if (index > 0) {
                    line.append(options.delimiter());
                }
                if (!validities[index].isPresent(row)) {
                    appendAll(nullText, nullText.length);
                } else if (isPlain[index] && !isQuoted[index]) {
                    encoders[index].append(row, line);
                } else {
                    value.clear();
                    encoders[index].append(row, value);
                    append(value.array(), value.length(), isQuoted[index]);
                }
            }
            line.append('\n');
            sink.send(line.array(), line.length());
        }
    }

    private void append(byte[] text, int length, boolean mustQuote) {
        if (isCsv) {
            appendCsv(text, length, mustQuote);
            return;
        }
        for (int index = 0; index < length; index++) {
            byte next = text[index];
            if (isSpecial[next & 0xFF]) {
                line.append('\\');
                next = switch (next) {
                    case '\b' -> 'b';
                    case '\f' -> 'f';
                    case '\n' -> 'n';
                    case '\r' -> 'r';
                    case '\t' -> 't';
                    case 0x0B -> 'v';
                    default -> next;
                };
            }
            line.append(next);
        }
    }

    private void appendCsv(byte[] text, int length, boolean mustQuote) {
        if (!mustQuote && !needsQuotes(text, length)) {
            appendAll(text, length);
            return;
        }
        line.append(options.quote());
        for (int index = 0; index < length; index++) {
            if (text[index] == options.quote() || text[index] == options.escape()) {
                line.append(options.escape());
            }
            line.append(text[index]);
        }
        line.append(options.quote());
    }

    private boolean needsQuotes(byte[] text, int length) {
        if (Arrays.equals(text, 0, length, nullText, 0, nullText.length)
                || columns.size() == 1 && length == 2 && text[0] == '\\' && text[1] == '.') {
            return true;
        }
        for (int index = 0; index < length; index++) {
            if (isSpecial[text[index] & 0xFF]) {
                return true;
            }
        }
        return false;
    }

    private void appendAll(byte[] text, int length) {
        for (int index = 0; index < length; index++) {
            line.append(text[index]);
        }
    }

    @Override
    public void end() {}
}
