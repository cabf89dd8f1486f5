package dev.quarrel.calcite.engine;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Rows as a table's columns take them: texts of a bounded length are looked at, and filled up with blanks, or cut
/// where there are but blanks behind.
///
/// - Errors: `QueryException` 22001 for a text that is too long; 0A000 for values that the column's files hold in
///   another way.
final class Fitted {
    private Fitted() {}

    /// - Memory: a view of `batch`, but for what it owns itself.
    static Batch of(Batch batch, Schema schema) {
        PooledMemory memory = new PooledMemory();
        boolean isDone = false;
        try {
            List<Column> columns = new ArrayList<>();
            List<Field> fields = new ArrayList<>();
            for (int index = 0; index < schema.size(); index++) {
                Field field = schema.field(index);
                Column column = batch.column(index);
                requireAlike(column.type(), field);
                PgType.Declared declared = PgType.Declared.of(field);
                columns.add(declared.length() < 0 ? column : texts(column, declared, memory));
                fields.add(new Field(field.name(), column.type(), true));
            }
            Batch fitted = Batch.owning(new Schema(fields), columns, batch.rowCount(), memory::close);
            isDone = true;
            return fitted;
        } finally {
            if (!isDone) {
                memory.close();
            }
        }
    }

    private static void requireAlike(DataType given, Field field) {
        boolean isWidened = given instanceof DataType.Decimal && field.type() instanceof DataType.Numeric;
        if (!isWidened && !given.equals(field.type())) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "values of type " + given + " cannot be put into column \"" + field.name() + "\", whose files hold "
                            + field.type());
        }
    }

    private static Column texts(Column column, PgType.Declared declared, PooledMemory memory) {
        ColumnWriter writer = new ColumnWriter(column.type(), memory, column.rowCount());
        boolean isPadded = declared.type() == PgType.BPCHAR;
        for (int row = 0; row < column.rowCount(); row++) {
            if (!column.validity().isPresent(row)) {
                writer.appendNull();
                continue;
            }
            MemorySegment bytes =
                    switch (column) {
                        case Utf8Column text ->
                            text.data().asSlice(text.offset(row), text.offset(row + 1) - text.offset(row));
                        case DictionaryColumn coded ->
                            coded.dictionary().values().bytes(coded.code(row));
                        default -> throw new IllegalArgumentException(column.toString());
                    };
            if (!isPadded && bytes.byteSize() <= declared.length()) {
                writer.appendUtf8(bytes, 0, (int) bytes.byteSize());
                continue;
            }
            String text = new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            writer.append(Assigned.value(text, declared, column.type()));
        }
        return writer.finish();
    }
}
