package dev.quarrel.ingest.table;

import dev.quarrel.core.type.Field;
import java.nio.charset.StandardCharsets;

/// A column of a table of events.
final class EventColumn {
    private final int index;
    private final Field field;
    private final ColumnKind kind;
    private final boolean declared;
    private final byte[] name;

    /// @param index among the table's
    /// @param declared whether somebody said its type, so that a value of another is an error of its event
    EventColumn(int index, Field field, boolean declared) {
        this.index = index;
        this.field = field;
        this.kind = ColumnKind.of(field);
        this.declared = declared;
        this.name = field.name().getBytes(StandardCharsets.UTF_8);
    }

    int index() {
        return index;
    }

    Field field() {
        return field;
    }

    ColumnKind kind() {
        return kind;
    }

    boolean isDeclared() {
        return declared;
    }

    /// In UTF-8; not to be written.
    byte[] name() {
        return name;
    }
}
