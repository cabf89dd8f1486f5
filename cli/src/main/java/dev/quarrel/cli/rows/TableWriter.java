package dev.quarrel.cli.rows;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Writes psql's aligned format.
///
/// - Nulls: nothing is written for them.
/// - Memory: widths come from the first [#MEASURED_ROWS] rows, which are held; later rows go out at once and may
///   stand wider.
public final class TableWriter implements RowWriter {
    private static final int MEASURED_ROWS = 50_000;

    private final Appendable out;
    private final TextBuffer text = new TextBuffer();
    private final List<String[]> held = new ArrayList<>();
    private List<ResultColumn> columns;
    private boolean[] rightAligned;
    private int[] widths; // null while rows are still held

    public TableWriter(Appendable out) {
        this.out = out;
    }

    @Override
    public boolean tellsTags() {
        return true;
    }

    @Override
    public void begin(List<ResultColumn> resultColumns) {
        columns = List.copyOf(resultColumns);
        widths = null;
        held.clear();
        rightAligned = new boolean[columns.size()];
        for (int column = 0; column < rightAligned.length; column++) {
            rightAligned[column] = isNumber(columns.get(column).type());
        }
    }

    private static boolean isNumber(PgType type) {
        return switch (type) {
            case INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC -> true;
            default -> false;
        };
    }

    @Override
    public void write(Batch batch) throws IOException {
        for (int row = 0; row < batch.rowCount(); row++) {
            String[] values = new String[columns.size()];
            for (int column = 0; column < values.length; column++) {
                values[column] = value(batch.column(column), row);
            }
            if (widths != null) {
                appendRow(values);
            } else {
                held.add(values);
                if (held.size() == MEASURED_ROWS) {
                    appendHeld();
                }
            }
        }
    }

    private String value(Column column, int row) {
        if (!column.validity().isPresent(row)) {
            return "";
        }
        text.clear();
        PgText.append(column, row, text);
        return text.toString();
    }

    @Override
    public void end(long rowCount) throws IOException {
        if (widths == null) {
            appendHeld();
        }
        out.append("(" + rowCount + (rowCount == 1 ? " row)\n\n" : " rows)\n\n"));
    }

    private void appendHeld() throws IOException {
        widths = new int[columns.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = DisplayWidth.of(columns.get(column).name());
            for (String[] values : held) {
                for (String line : values[column].split("\n", -1)) {
                    widths[column] = Math.max(widths[column], DisplayWidth.of(line));
                }
            }
        }
        appendHeader();
        for (String[] values : held) {
            appendRow(values);
        }
        held.clear();
    }

    private void appendHeader() throws IOException {
        StringBuilder names = new StringBuilder();
        StringBuilder rule = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String name = columns.get(column).name();
            int padding = widths[column] - DisplayWidth.of(name);
            names.append(column == 0 ? " " : "| ")
                    .repeat(' ', padding / 2)
                    .append(name)
                    .repeat(' ', padding - padding / 2 + 1);
            rule.append(column == 0 ? "" : "+").repeat('-', widths[column] + 2);
        }
        out.append(names).append('\n').append(rule).append('\n');
    }

    /// A value of several lines makes a row of several lines; psql marks each but the last with a `+`.
    private void appendRow(String[] values) throws IOException {
        String[][] lines = new String[values.length][];
        int lineCount = 1;
        for (int column = 0; column < values.length; column++) {
            lines[column] = values[column].split("\n", -1);
            lineCount = Math.max(lineCount, lines[column].length);
        }
        for (int line = 0; line < lineCount; line++) {
            StringBuilder row = new StringBuilder();
            for (int column = 0; column < values.length; column++) {
                String value = line < lines[column].length ? lines[column][line] : "";
                boolean continued = line + 1 < lines[column].length;
                boolean last = column + 1 == values.length;
                int padding = Math.max(0, widths[column] - DisplayWidth.of(value));
                row.append(column == 0 ? " " : "| ");
                if (rightAligned[column]) {
                    row.repeat(' ', padding).append(value);
                } else {
                    row.append(value).repeat(' ', last && !continued ? 0 : padding);
                }
                row.append(continued ? "+" : last ? "" : " ");
            }
            out.append(row).append('\n');
        }
    }
}
