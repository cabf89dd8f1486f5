package dev.quarrel.ingest.table;

import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.msgpack.Msgpack;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Makes rows of a table's events, straight from their bytes: no object a field or an event.
///
/// Events of one sender mostly have the same fields in the same order, so each field is first compared with the one
/// that stood in its place before.
///
/// - Threads: one.
final class RecordDecoder {
    /// Told of an event that the table does not take.
    interface Rejected {
        /// An event that the table does not take.
        ///
        /// @param at where the event's `[time, record]` begins; -1 where the rest of the chunk is no event at
        /// all
        void event(Chunk chunk, int at, String reason);
    }

    private final EventTable table;
    private final ValueSetter setter;
    private EventColumn[] shape = new EventColumn[16]; // the column of the field at each place of the last event
    private byte[] tag; // of the chunk that is being decoded
    private EventColumn tagColumn;

    RecordDecoder(EventTable table) {
        this.table = table;
        this.setter = new ValueSetter(table.columns());
    }

    /// Adds a chunk's events.
    ///
    /// @return how many rows were added
    int decode(Chunk chunk, long arrivalMicros, Rejected rejected) {
        byte[] bytes = chunk.bytes();
        tag = chunk.tag() == null ? null : chunk.tag().getBytes(StandardCharsets.UTF_8);
        tagColumn = tag == null ? null : table.columns().tag();
        int rows = 0;
        int at = chunk.start();
        while (at < chunk.end()) {
            int next;
            try {
                next = Msgpack.skip(bytes, at, chunk.end());
            } catch (IndexOutOfBoundsException _) {
                rejected.event(chunk, -1, "the chunk ends within an event");
                return rows;
            }
            int columnCount = table.columns().size();
            OpenBlock block = null;
            try {
                if (!isEvent(bytes, at)) {
                    throw new RejectedException("it is no [time, record]");
                }
                int time = at + Msgpack.head(bytes[at]);
                int record = Msgpack.skip(bytes, time, next);
                if (Msgpack.kind(bytes[time]) == Msgpack.Kind.ARRAY && Msgpack.length(bytes, time) > 0) {
                    time += Msgpack.head(bytes[time]); // [[time, metadata], record]
                }
                long micros = time(bytes, time, arrivalMicros);
                block = table.partition(micros).current();
                decode(bytes, record, block, micros);
                rows++;
            } catch (RejectedException e) {
                if (block != null) {
                    block.clearRow(columnCount);
                }
                forget(columnCount);
                rejected.event(chunk, at, e.getMessage());
            }
            at = next;
        }
        return rows;
    }

    private static boolean isEvent(byte[] bytes, int at) {
        if (Msgpack.kind(bytes[at]) != Msgpack.Kind.ARRAY || Msgpack.length(bytes, at) != 2) {
            return false;
        }
        int record = Msgpack.skip(bytes, at + Msgpack.head(bytes[at]), bytes.length);
        return Msgpack.kind(bytes[record]) == Msgpack.Kind.MAP;
    }

    private static long time(byte[] bytes, int at, long arrivalMicros) {
        if (Msgpack.kind(bytes[at]) == Msgpack.Kind.NIL) {
            return arrivalMicros;
        }
        long micros = EventTime.micros(bytes, at);
        if (micros == EventTime.NONE) {
            throw new RejectedException("its time " + MsgpackJson.text(bytes, at) + " is none of years 1 to 9999");
        }
        return micros;
    }

    private void decode(byte[] bytes, int record, OpenBlock block, long micros) {
        int row = block.rowCount();
        long fields = Msgpack.length(bytes, record);
        int at = record + Msgpack.head(bytes[record]);
        for (int field = 0; field < fields; field++) {
            byte first = bytes[at];
            int start = at + Msgpack.head(first);
            int length = (int) Msgpack.length(bytes, at);
            EventColumn column;
            if (Msgpack.kind(first) != Msgpack.Kind.STR) {
                int next = Msgpack.skip(bytes, at, bytes.length);
                byte[] name = MsgpackJson.text(bytes, at).getBytes(StandardCharsets.UTF_8);
                at = setter.set(
                        block, row, table.columns().find(name, 0, name.length), name, 0, name.length, bytes, next);
                continue;
            }
            column = field < shape.length ? shape[field] : null;
            int value = start + length;
            if (column == null
                    || column.name().length != length
                    || !Arrays.equals(column.name(), 0, length, bytes, start, value)) {
                column = table.columns().find(bytes, start, length);
                remember(field, column);
            }
            at = setter.set(block, row, column, bytes, start, length, bytes, value);
        }
        if (tag != null) {
            block.column(tagColumn).setText(row, tag, 0, tag.length);
        }
        block.column(table.columns().time()).setInt64(row, micros);
        table.checkComplete(block, row);
        block.endRow(micros);
    }

    private void remember(int field, EventColumn column) {
        if (field >= shape.length) {
            if (field >= 4096) {
                return;
            }
            shape = Arrays.copyOf(shape, Math.max(field + 1, shape.length * 2));
        }
        // A reserved field's column has another name than the field: it is found by the table each time.
        shape[field] = column;
    }

    private void forget(int columnCount) {
        if (table.columns().size() > columnCount) {
            table.columns().truncate(columnCount);
        }
        Arrays.fill(shape, null);
        if (tag != null) {
            tagColumn = table.columns().tag();
        }
    }
}
