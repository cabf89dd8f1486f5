package dev.quarrel.ingest.table;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.msgpack.MsgpackWriter;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/// Makes rows of a table anew for other columns, after somebody has given the table these while the rows were in
/// memory.
///
/// A value goes into the column of its name, or where the value of an event would go that does not fit that column. A
/// row that the table does not take as it is now is told as an event is that it does not take.
final class Refit {
    private static final ValueLayout.OfShort INT16 =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final OpenRows rows;
    private final EventTable table;
    private final RecordDecoder.Rejected rejected;
    private final ValueSetter setter;
    private final MsgpackWriter value = new MsgpackWriter(256);

    /// @param table without rows yet; the caller publishes them
    Refit(OpenRows rows, EventTable table, RecordDecoder.Rejected rejected) {
        this.rows = rows;
        this.table = table;
        this.rejected = rejected;
        this.setter = new ValueSetter(table.columns());
    }

    void run() {
        for (int batch = 0; batch < rows.batchCount(); batch++) {
            OpenBlock.View view = rows.view(batch);
            for (int row = 0; row < view.rowCount(); row++) {
                add(view, row);
            }
        }
    }

    private void add(OpenBlock.View view, int row) {
        int columnCount = table.columns().size();
        OpenBlock block = null;
        try {
            if (table.conflict() != null) {
                throw new RejectedException(table.conflict());
            }
            long micros = micros(view, row);
            block = table.partition(micros).current();
            for (EventColumn column : rows.columns()) {
                Column values = view.column(column.index());
                if (column.index() > 0 && values != null && values.validity().isPresent(row)) {
                    set(block, column, values, row);
                }
            }
            block.column(table.columns().time()).setInt64(block.rowCount(), micros);
            table.checkComplete(block, block.rowCount());
            block.endRow(micros);
        } catch (RejectedException e) {
            if (block != null) {
                block.clearRow(columnCount);
            }
            if (table.columns().size() > columnCount) {
                table.columns().truncate(columnCount);
            }
            MsgpackWriter event = event(view, row);
            rejected.event(new Chunk(table.name(), null, null, event.array(), 0, event.size(), 1), 0, e.getMessage());
        }
    }

    private static long micros(OpenBlock.View view, int row) {
        return ((FixedColumn) view.column(0)).values().get(INT64, row * 8L);
    }

    private void set(OpenBlock block, EventColumn column, Column values, int row) {
        EventColumn known = table.columns().named(column.field().name());
        EventColumn target = known == null ? table.columns().adopt(column.field()) : known;
        if (copy(block, target, column.kind(), values, row)) {
            return;
        }
        value.truncate(0);
        write(column.kind(), values, row, value);
        byte[] name = target.name();
        setter.set(block, block.rowCount(), target, name, 0, name.length, value.array(), 0);
    }

    /// Copies a value that is one of its new column's as it is.
    ///
    /// @return whether it was
    private static boolean copy(OpenBlock block, EventColumn target, ColumnKind from, Column values, int row) {
        int to = block.rowCount();
        if (from == ColumnKind.TIMESTAMPTZ && target.kind() == ColumnKind.DATE) {
            long micros = ((FixedColumn) values).values().get(INT64, row * 8L);
            block.column(target).setInt32(to, (int) Math.floorDiv(micros, 24 * Partition.HOUR_MICROS));
            return true;
        }
        boolean isTime = from == ColumnKind.TIMESTAMPTZ && target.kind() == ColumnKind.TIMESTAMP;
        if (from != target.kind() && !isTime) {
            return false;
        }
        OpenColumn out = block.column(target);
        switch (values) {
            case BoolColumn bool -> out.setBool(to, bool(bool, row));
            case Utf8Column texts -> {
                byte[] text = texts.bytes(row).toArray(ValueLayout.JAVA_BYTE);
                out.setText(to, text, 0, text.length);
            }
            case FixedColumn fixed -> {
                switch (from.width()) {
                    case 2 -> out.setInt16(to, fixed.values().get(INT16, row * 2L));
                    case 4 -> out.setInt32(to, fixed.values().get(INT32, row * 4L));
                    default -> out.setInt64(to, fixed.values().get(INT64, row * 8L));
                }
            }
            default -> throw new IllegalStateException(values.getClass().toString());
        }
        return true;
    }

    private static boolean bool(BoolColumn column, int row) {
        return (column.bits().get(ValueLayout.JAVA_BYTE, row >> 3) >> (row & 7) & 1) != 0;
    }

    /// Writes a value as an event has it; times, which are not of the forms of events alone, as texts.
    private static void write(ColumnKind kind, Column values, int row, MsgpackWriter out) {
        switch (kind) {
            case BOOL -> out.bool(bool((BoolColumn) values, row));
            case INT16 -> out.integer(((FixedColumn) values).values().get(INT16, row * 2L));
            case INT32 -> out.integer(((FixedColumn) values).values().get(INT32, row * 4L));
            case INT64 -> out.integer(((FixedColumn) values).values().get(INT64, row * 8L));
            case FLOAT32 ->
                out.real(Float.intBitsToFloat(((FixedColumn) values).values().get(INT32, row * 4L)));
            case FLOAT64 ->
                out.real(Double.longBitsToDouble(((FixedColumn) values).values().get(INT64, row * 8L)));
            case DATE ->
                out.text(LocalDate.ofEpochDay(((FixedColumn) values).values().get(INT32, row * 4L))
                        .toString());
            case TIMESTAMPTZ ->
                out.text(instant(((FixedColumn) values).values().get(INT64, row * 8L))
                        .toString());
            case TIMESTAMP ->
                out.text(instant(((FixedColumn) values).values().get(INT64, row * 8L))
                        .atOffset(ZoneOffset.UTC)
                        .toLocalDateTime()
                        .toString());
            case TEXT, JSON, JSONB -> {
                byte[] text = ((Utf8Column) values).bytes(row).toArray(ValueLayout.JAVA_BYTE);
                out.text(text, 0, text.length);
            }
            case BYTEA -> {
                byte[] bytes = ((Utf8Column) values).bytes(row).toArray(ValueLayout.JAVA_BYTE);
                out.binary(bytes, 0, bytes.length);
            }
            case OTHER -> throw new IllegalStateException("a value of no event");
        }
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    }

    /// The row as an event.
    private MsgpackWriter event(OpenBlock.View view, int row) {
        MsgpackWriter out = new MsgpackWriter(256);
        out.array(2);
        out.text(instant(micros(view, row)).toString());
        int begin = out.begin();
        int count = 0;
        for (EventColumn column : rows.columns()) {
            Column values = view.column(column.index());
            if (column.index() > 0 && values != null && values.validity().isPresent(row)) {
                byte[] name = column.field().name().getBytes(StandardCharsets.UTF_8);
                out.text(name, 0, name.length);
                write(column.kind(), values, row, out);
                count++;
            }
        }
        out.endMap(begin, count);
        return out;
    }
}
