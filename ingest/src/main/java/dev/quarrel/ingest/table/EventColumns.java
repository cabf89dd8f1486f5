package dev.quarrel.ingest.table;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The columns of a table, which grow as events bring new fields.
///
/// - Threads: the one that decodes.
final class EventColumns {
    static final String TIME = "time";
    static final String TAG = "tag";
    static final String DAY = "day";
    static final String HOUR = "hour";

    /// Fields of these names go to columns with `_field` behind them: the names are the event's own time and tag, and
    /// the keys of the table's folders.
    static final Set<String> RESERVED = Set.of(TIME, TAG, DAY, HOUR);

    private static final int MOST_NAME_BYTES = 255;

    private final int mostColumns;
    private final List<EventColumn> columns = new ArrayList<>();
    private final Map<String, EventColumn> byName = new HashMap<>();
    private EventColumn[] slots = new EventColumn[64]; // by a hash of the field's name
    private byte[][] slotKeys = new byte[64][];
    private int used;

    /// @param declared what somebody has said of the table's columns
    /// @param existing what the table's files have
    EventColumns(List<Field> declared, List<Field> existing, int mostColumns) {
        this.mostColumns = mostColumns;
        add(new Field(TIME, DataType.TIMESTAMPTZ, false), true);
        for (Field field : declared) {
            if (!byName.containsKey(field.name())) {
                add(field, true);
            }
        }
        for (Field field : existing) {
            if (!byName.containsKey(field.name())
                    && !field.name().equals(DAY)
                    && !field.name().equals(HOUR)) {
                add(field, false);
            }
        }
    }

    private EventColumn add(Field field, boolean declared) {
        EventColumn column = new EventColumn(columns.size(), field, declared);
        columns.add(column);
        byName.put(field.name(), column);
        return column;
    }

    /// Why events do not fit a table that is there, or null: what they all have is of other types in its files.
    static String conflict(List<Field> existing) {
        Map<String, DataType> wanted =
                Map.of(TIME, DataType.TIMESTAMPTZ, TAG, DataType.UTF8, DAY, DataType.DATE, HOUR, DataType.INT64);
        for (Field field : existing) {
            DataType type = wanted.get(field.name());
            if (type != null && !type.equals(field.type())) {
                return "the table's column \"" + field.name() + "\" is of type " + field.type() + ", events have it as "
                        + type;
            }
        }
        return null;
    }

    int size() {
        return columns.size();
    }

    EventColumn get(int index) {
        return columns.get(index);
    }

    List<EventColumn> all() {
        return List.copyOf(columns);
    }

    EventColumn time() {
        return columns.getFirst();
    }

    /// The column of that name; null where there is none.
    EventColumn named(String name) {
        return byName.get(name);
    }

    /// A column that rows have had before.
    ///
    /// - Errors: [RejectedException] where the table has as many columns as it may.
    EventColumn adopt(Field field) {
        if (columns.size() >= mostColumns) {
            throw tooMany(field.name());
        }
        return add(field.withNullable(true), false);
    }

    private RejectedException tooMany(String name) {
        return new RejectedException(
                "field \"" + name + "\" would be column " + (mostColumns + 1) + ": the table has as many as it may");
    }

    /// The column of tags, made when the first tag comes.
    EventColumn tag() {
        EventColumn known = byName.get(TAG);
        return known == null ? add(new Field(TAG, DataType.UTF8, true), false) : known;
    }

    /// The column of a field, by its name's bytes; null where there is none.
    EventColumn find(byte[] bytes, int start, int length) {
        int mask = slots.length - 1;
        for (int slot = hash(bytes, start, length) & mask; slotKeys[slot] != null; slot = (slot + 1) & mask) {
            if (Arrays.equals(slotKeys[slot], 0, slotKeys[slot].length, bytes, start, start + length)) {
                return slots[slot];
            }
        }
        String name = columnName(new String(bytes, start, length, StandardCharsets.UTF_8));
        EventColumn known = byName.get(name);
        if (known != null) {
            remember(Arrays.copyOfRange(bytes, start, start + length), known);
        }
        return known;
    }

    /// The column that a field of this name goes to.
    static String columnName(String field) {
        return RESERVED.contains(field) ? field + "_field" : field;
    }

    private static int hash(byte[] bytes, int start, int length) {
        int hash = length;
        for (int at = start; at < start + length; at++) {
            hash = hash * 31 + bytes[at];
        }
        return (hash * 0x9E3779B9) >>> 7;
    }

    private void remember(byte[] key, EventColumn column) {
        used++;
        if (used * 2 > slots.length) {
            EventColumn[] oldSlots = slots;
            byte[][] oldKeys = slotKeys;
            slots = new EventColumn[oldSlots.length * 2];
            slotKeys = new byte[oldSlots.length * 2][];
            for (int slot = 0; slot < oldKeys.length; slot++) {
                if (oldKeys[slot] != null) {
                    put(oldKeys[slot], oldSlots[slot]);
                }
            }
        }
        put(key, column);
    }

    private void put(byte[] key, EventColumn column) {
        int mask = slots.length - 1;
        int slot = hash(key, 0, key.length) & mask;
        while (slotKeys[slot] != null) {
            slot = (slot + 1) & mask;
        }
        slotKeys[slot] = key;
        slots[slot] = column;
    }

    /// A new column for a field that comes for the first time.
    ///
    /// - Errors: [RejectedException] where the table has as many columns as it may, or the name is none.
    EventColumn learn(String field, ColumnKind kind) {
        String name = columnName(field);
        EventColumn known = byName.get(name);
        if (known != null) {
            return known;
        }
        int length = name.getBytes(StandardCharsets.UTF_8).length;
        if (name.isEmpty() || length > MOST_NAME_BYTES || name.indexOf('\0') >= 0) {
            throw new RejectedException("a field's name has " + length + " bytes, 1 to " + MOST_NAME_BYTES + " may be");
        }
        if (columns.size() >= mostColumns) {
            throw tooMany(name);
        }
        return add(
                switch (kind) {
                    case JSONB -> new Field(name, DataType.UTF8, true, PgType.JSONB.formatName());
                    default -> new Field(name, kind.type(), true);
                },
                false);
    }

    /// Forgets the columns from a place on: of an event that was rejected.
    void truncate(int size) {
        while (columns.size() > size) {
            byName.remove(columns.removeLast().field().name());
        }
        if (used > 0) {
            Arrays.fill(slots, null);
            Arrays.fill(slotKeys, null);
            used = 0;
        }
    }
}
