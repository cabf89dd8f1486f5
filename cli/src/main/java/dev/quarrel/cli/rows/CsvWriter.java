package dev.quarrel.cli.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Writes CSV as PostgreSQL's `COPY … TO … (FORMAT csv, HEADER)` does.
///
/// - Nulls: an empty field; an empty text is `""`.
public final class CsvWriter implements RowWriter {
    private final OutputStream out;
    private final TextBuffer value = new TextBuffer();
    private final TextBuffer lines = new TextBuffer();

    public CsvWriter(OutputStream out) {
        this.out = out;
    }

    @Override
    public void begin(List<ResultColumn> columns) throws IOException {
        for (int column = 0; column < columns.size(); column++) {
            byte[] name = columns.get(column).name().getBytes(StandardCharsets.UTF_8);
            if (column > 0) {
                lines.append(',');
            }
            appendField(name, name.length);
        }
        lines.append('\n');
        flush();
    }

    @Override
    public void write(Batch batch) throws IOException {
        for (int row = 0; row < batch.rowCount(); row++) {
            for (int index = 0; index < batch.columns().size(); index++) {
                if (index > 0) {
                    lines.append(',');
                }
                Column column = batch.column(index);
                if (column.validity().isPresent(row)) {
                    value.clear();
                    PgText.append(column, row, value);
                    appendField(value.array(), value.length());
                }
            }
            lines.append('\n');
            if (lines.length() > 1 << 16) {
                flush();
            }
        }
        flush();
    }

    @Override
    public void end(long rowCount) throws IOException {
        flush();
    }

    private void flush() throws IOException {
        out.write(lines.array(), 0, lines.length());
        lines.clear();
    }

    private void appendField(byte[] field, int length) {
        boolean quoted = needsQuotes(field, length);
        if (quoted) {
            lines.append('"');
        }
        for (int index = 0; index < length; index++) {
            if (field[index] == '"') {
                lines.append('"');
            }
            lines.append(field[index]);
        }
        if (quoted) {
            lines.append('"');
        }
    }

    private static boolean needsQuotes(byte[] field, int length) {
        if (length == 0 || length == 2 && field[0] == '\\' && field[1] == '.') {
            return true;
        }
        for (int index = 0; index < length; index++) {
            switch (field[index]) {
                case ',', '"', '\n', '\r' -> {
                    return true;
                }
                default -> {}
            }
        }
        return false;
    }
}
