package dev.quarrel.cli.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// Writes one JSON array per statement, with one object per row, each on a line of its own.
///
/// - Shape: numbers are JSON numbers with all their digits, NaN and infinities texts; booleans are booleans; all
///   else is text as PostgreSQL writes it.
/// - Nulls: `null`.
public final class JsonWriter implements RowWriter {
    private final Appendable out;
    private final TextBuffer text = new TextBuffer();
    private String[] keys;
    private PgType[] types;
    private boolean isFirst;

    public JsonWriter(Appendable out) {
        this.out = out;
    }

    @Override
    public void begin(List<ResultColumn> columns) throws IOException {
        keys = columns.stream().map(column -> quoted(column.name()) + ": ").toArray(String[]::new);
        types = columns.stream().map(ResultColumn::type).toArray(PgType[]::new);
        isFirst = true;
        out.append('[');
    }

    @Override
    public void write(Batch batch) throws IOException {
        for (int row = 0; row < batch.rowCount(); row++) {
            out.append(isFirst ? "\n{" : ",\n{");
            isFirst = false;
            for (int column = 0; column < keys.length; column++) {
                out.append(column == 0 ? "" : ", ").append(keys[column]);
                out.append(value(batch.column(column), types[column], row));
            }
            out.append('}');
        }
    }

    @Override
    public void end(long rowCount) throws IOException {
        out.append(isFirst ? "]\n" : "\n]\n");
    }

    private String value(Column column, PgType type, int row) {
        if (!column.validity().isPresent(row)) {
            return "null";
        }
        text.clear();
        PgText.append(column, row, text);
        String value = text.toString();
        return switch (type) {
            case BOOL -> value.equals("t") ? "true" : "false";
            case INT2, INT4, INT8, OID -> value;
            case FLOAT4, FLOAT8, NUMERIC -> isFinite(value) ? value : quoted(value);
            default -> quoted(value);
        };
    }

    private static boolean isFinite(String number) {
        char last = number.charAt(number.length() - 1);
        return last >= '0' && last <= '9';
    }

    private static String quoted(String value) {
        StringBuilder json = new StringBuilder(value.length() + 2).append('"');
        for (int index = 0; index < value.length(); index++) {
            char unit = value.charAt(index);
            switch (unit) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                default -> {
                    if (unit < ' ') {
                        json.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
                    } else {
                        json.append(unit);
                    }
                }
            }
        }
        return json.append('"').toString();
    }
}
