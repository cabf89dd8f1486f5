package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.RecordRows;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Fields of composites that are there as values, whatever made them: read from their texts. Those of a table's columns
/// are columns themselves ([Columns.Composites]).
///
/// - Nulls: a field of a composite that is NULL is NULL.
public final class RecordFields {
    private final RexMaker maker;
    private final Conversions conversions;
    private final Collations collations;

    public RecordFields(RexMaker maker, Conversions conversions, Collations collations) {
        this.maker = maker;
        this.conversions = conversions;
        this.collations = collations;
    }

    /// The fields that a composite's type has; none where nobody has said which, and of anything else.
    public static List<Field> of(RelDataType type) {
        OtherType other = SqlTypes.other(type);
        return other == null || !other.isRow() ? List.of() : other.fields();
    }

    /// The field that names lead to in the elements of a list.
    ///
    /// @param column of composites or arrays of them
    /// @param lists where the list is in the column's composites; empty for the column itself
    public static Field ofElements(RelDataType column, List<String> lists, List<String> names) {
        Field list = lists.isEmpty() ? null : find(of(column), lists);
        OtherType elements = list == null ? SqlTypes.other(column) : list.other();
        return elements == null || elements.isRow() ? null : find(elements.fields(), names);
    }

    /// The field that such names lead to; null where nothing is known of it.
    public static Field find(List<Field> row, List<String> names) {
        List<Field> fields = row;
        Field found = null;
        for (String name : names) {
            found = fields.stream()
                    .filter(field -> field.name().equals(name))
                    .findFirst()
                    .orElse(null);
            fields = found == null || found.other() == null || !found.other().isRow()
                    ? List.of()
                    : found.other().fields();
        }
        return found;
    }

    /// Whether a value is there.
    public static RexNode presence(RexMaker maker, RexNode value) {
        return maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), itself(maker, value));
    }

    /// What is NULL where a value is itself: of a composite its text, for IS NULL of the composite asks its
    /// fields, too.
    public static RexNode itself(RexMaker maker, RexNode value) {
        OtherType other = SqlTypes.other(value.getType());
        return other != null && other.isRow() ? maker.cast(maker.rel(SqlType.TEXT), value) : value;
    }

    /// All fields of a value; null for one whose fields are not known.
    public Expr.Row row(Expr value) {
        if (!(value instanceof Expr.Value composite)
                || of(composite.rex().getType()).isEmpty()) {
            return null;
        }
        List<Field> fields = of(composite.rex().getType());
        List<Expr> items = new ArrayList<>();
        for (int index = 0; index < fields.size(); index++) {
            items.add(field(composite.rex(), index, composite.at()));
        }
        List<String> names = fields.stream().map(Field::name).toList();
        OtherType type = SqlTypes.other(composite.rex().getType());
        return new Expr.Row(items, names, names, type, false, false, composite.at());
    }

    /// The field that such names lead to; null where it is not known.
    public Expr.Value field(RexNode composite, List<String> names, int at) {
        Expr.Value value = null;
        RexNode around = composite;
        for (String name : names) {
            List<String> known = of(around.getType()).stream().map(Field::name).toList();
            if (!known.contains(name)) {
                return null;
            }
            value = field(around, known.indexOf(name), at);
            around = value.rex();
        }
        return value;
    }

    private Expr.Value field(RexNode composite, int index, int at) {
        List<Field> fields = of(composite.getType());
        Field field = fields.get(index);
        RexNode text = CatalogFunction.call(
                maker,
                RecordRows.FIELD,
                List.of(composite, maker.integer(index, SqlType.INT4), maker.integer(fields.size(), SqlType.INT4)));
        // A numeric without a precision has any number of digits there.
        Field held = field.type() instanceof DataType.Numeric
                ? new Field(field.name(), DataType.UTF8, true, PgType.NUMERIC.formatName())
                : field;
        RelDataType type = SqlTypes.relType(maker.factory(), held);
        SqlType sqlType = SqlType.of(SqlTypes.pgType(type));
        int typmod = SqlTypes.typmod(type);
        boolean isHeldAsText = sqlType != SqlType.TEXT
                && sqlType != SqlType.VARCHAR
                && sqlType != SqlType.BPCHAR
                && held.type() instanceof DataType.Utf8;
        RexCall call = (RexCall) text;
        RexNode value = isHeldAsText
                ? maker.builder().makeCall(maker.nullable(type, true), call.getOperator(), call.getOperands())
                : conversions
                        .convert(new Expr.Value(text, SqlType.TEXT, at), sqlType, typmod)
                        .rex();
        Collating collating = collations.ofColumn(sqlType, field.collation()).ofColumn();
        return new Expr.Value(value, sqlType, typmod, at, collating);
    }
}
