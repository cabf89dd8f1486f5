package dev.quarrel.server.rows;

import dev.quarrel.calcite.ColumnOrigin;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.wire.BackendMessage;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/// Writes rows of batches as DataRow messages.
///
/// The encoders are chosen once, when a portal is made; per row nothing is allocated.
///
/// - Memory: borrows the batch given to `open` until the next `open`.
/// - Errors: `QueryException` 0A000 from `of` for a binary format that a type does not have.
public final class RowEncoder {
    private final RowValues values;
    private final TextBuffer row = new TextBuffer(1024);

    private RowEncoder(RowValues values) {
        this.values = values;
    }

    /// Chooses the encoders.
    ///
    /// @param formats one a column: 0 text, 1 binary
    public static RowEncoder of(List<ResultColumn> columns, short[] formats, TextStyle style) {
        return new RowEncoder(RowValues.of(columns, formats, style));
    }

    /// - Errors: `QueryException` 0A000 for a format that the type does not have.
    static ColumnEncoder encoder(ResultColumn column, boolean isText, TextStyle style) {
        OtherType other = column.other();
        if (other == null) {
            return isText ? ColumnEncoder.text(column.type(), style) : ColumnEncoder.binary(column.type());
        }
        if (isText && other.isStyled() && !style.isDefault()) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "not supported: type " + other.name()
                                    + " with time zones, intervals or bytes in it, shown otherwise than by default")
                    .withHint("SET TIME ZONE 'UTC'; SET IntervalStyle = postgres; SET bytea_output = hex");
        }
        if (isText && other.labels().isEmpty() && style.floatDigits() < 1) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "not supported: type " + other.name() + " with floats of fewer digits in it")
                    .withHint("SET extra_float_digits = 1");
        }
        return isText ? new ColumnEncoder.Text() : ColumnEncoder.binary(other);
    }

    /// What the rows will look like.
    ///
    /// @param tables the number of a column's table; 0 for one that is not known
    public static BackendMessage.RowDescription describe(
            List<ResultColumn> columns, short[] formats, ToIntFunction<ColumnOrigin> tables) {
        List<BackendMessage.ColumnDescription> descriptions = new ArrayList<>(columns.size());
        ColumnOrigin asked = null;
        int found = 0;
        for (int index = 0; index < columns.size(); index++) {
            ResultColumn column = columns.get(index);
            ColumnOrigin origin = column.origin();
            if (origin != null
                    && (asked == null || !origin.isOfTable(asked))) { // most columns follow one of their table
                asked = origin;
                found = tables.applyAsInt(origin);
            }
            int table = origin == null ? 0 : found;
            descriptions.add(new BackendMessage.ColumnDescription(
                    column.name(),
                    table,
                    table == 0 ? 0 : column.origin().number(),
                    column.declared().oid(),
                    column.type().size(),
                    column.typmod(),
                    formats[index]));
        }
        return new BackendMessage.RowDescription(descriptions);
    }

    /// Takes the batch whose rows are written next.
    public void open(Batch batch) {
        values.open(batch);
    }

    /// Appends one DataRow message.
    public void encode(int rowIndex, ByteBuf out) {
        row.clear();
        row.append('D');
        RowValues.int32(0, row);
        values.append(rowIndex, row);
        RowValues.putInt32(1, row.length() - 1, row);
        out.writeBytes(row.array(), 0, row.length());
    }

    /// A row's values, null for NULL.
    public byte[][] values(Batch batch, int rowIndex) {
        return values.all(batch, rowIndex);
    }
}
