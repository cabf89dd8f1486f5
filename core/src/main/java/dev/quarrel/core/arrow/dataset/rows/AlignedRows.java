package dev.quarrel.core.arrow.dataset.rows;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The rows of a file with the columns that those of several files have ([UnionByName]).
public final class AlignedRows {
    private static final int ABSENT = -1;

    private final Schema schema;
    private final int[] places; // of each column in the file
    private final Object[] constants;
    private final NestedType[] nested; // null for columns of plain values
    private final boolean isSame;

    /// @param nestedTypes of the columns that hold lists, structs and maps, by name
    /// @param own the file's columns
    /// @param untyped those of them that hold NULLs of no type
    /// @param constants the values in all of its rows of columns that it does not have, by name
    public AlignedRows(
            Schema schema,
            Map<String, NestedType> nestedTypes,
            Schema own,
            Set<String> untyped,
            Map<String, Object> constants) {
        this.schema = schema;
        this.places = new int[schema.size()];
        this.constants = new Object[schema.size()];
        this.nested = new NestedType[schema.size()];
        boolean isAlike = schema.size() == own.size();
        for (int column = 0; column < places.length; column++) {
            Field field = schema.field(column);
            places[column] = own.indexOf(field.name());
            nested[column] = nestedTypes.get(field.name());
            this.constants[column] = places[column] == ABSENT ? constants.get(field.name()) : null;
            if (untyped.contains(field.name())) {
                places[column] = ABSENT;
            }
            isAlike &= places[column] == column && own.type(column).equals(field.type());
        }
        this.isSame = isAlike;
    }

    /// - Memory: the batch is the new one's, also when it fails; the caller closes that.
    public Batch of(Batch batch) {
        if (isSame) {
            return batch;
        }
        PooledMemory memory = new PooledMemory();
        boolean isMade = false;
        try {
            List<Column> columns = new ArrayList<>();
            NestedColumn[] takenApart = new NestedColumn[places.length];
            boolean isNested = false;
            for (int column = 0; column < places.length; column++) {
                columns.add(column(batch, column, memory));
                if (nested[column] != null) {
                    isNested = true;
                    takenApart[column] = places[column] == ABSENT
                            ? NullColumn.nested(nested[column], batch.rowCount(), memory)
                            : batch.nested(places[column]);
                }
            }
            Batch made = Batch.owning(schema, columns, batch.rowCount(), () -> {
                batch.close();
                memory.close();
            });
            isMade = true;
            return isNested ? Batch.nested(made, takenApart) : made;
        } finally {
            if (!isMade) {
                batch.close();
                memory.close();
            }
        }
    }

    private Column column(Batch batch, int column, PooledMemory memory) {
        if (places[column] != ABSENT) {
            return NumberWidening.widened(batch.column(places[column]), schema.type(column), memory);
        }
        return constants[column] == null
                ? NullColumn.of(schema.type(column), batch.rowCount(), memory)
                : ConstantColumn.of(schema.type(column), constants[column], batch.rowCount(), memory);
    }
}
