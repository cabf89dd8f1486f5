package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.RecordText;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;

/// Casts to the types that tables' rows have.
///
/// - Source: PostgreSQL's coerce_record_to_complex in `parse_coerce.c`.
final class RowTypes {
    private final Analysis analysis;
    private final Conversions conversions;
    private final RexMaker maker;

    RowTypes(Analysis analysis) {
        this.analysis = analysis;
        this.conversions = analysis.conversions();
        this.maker = analysis.maker();
    }

    /// A table's row type.
    ///
    /// @param held how its columns are held
    record RowType(OtherType type, List<Column> columns, List<RelDataType> held) {
        List<String> names() {
            return columns.stream().map(Column::name).toList();
        }
    }

    /// Null where no table of users has that name, or a type has it.
    RowType find(PostgresTypeName written) {
        boolean isPlain = written.dimensions() == 0
                && written.modifiers().isEmpty()
                && (written.schema() != null || SqlType.byName(written.name()) == null);
        Analysis.TableScan scan = isPlain ? analysis.tableOrNull(written.schema(), written.name()) : null;
        if (scan == null || scan.schema().equals("pg_catalog") || scan.schema().equals("information_schema")) {
            return null;
        }
        OtherType type = new Columns(analysis).rowType(scan.schema(), written.name());
        int shown = scan.rowType().getFieldCount() - scan.hiddenColumns();
        List<RelDataType> held = scan.rowType().getFieldList().subList(0, shown).stream()
                .map(field -> maker.nullable(field.getType(), true))
                .toList();
        return new RowType(type, FromClause.columns(analysis, scan).subList(0, shown), held);
    }

    /// - Errors: 42846 for a row of another number of fields, 22P02 for a text that is no row; 0A000 for what is
    ///   held as a text.
    Expr.Row cast(Expr value, RowType target, int at) {
        return switch (value) {
            case Expr.Null _ -> {
                List<Expr> items = new ArrayList<>();
                for (int index = 0; index < target.columns().size(); index++) {
                    items.add(target.columns()
                            .get(index)
                            .value(maker.nullOf(target.held().get(index)), at));
                }
                yield new Expr.Row(items, target.names(), target.type(), true, at);
            }
            case Expr.Text(String text, int textAt, var _) -> row(fields(text, target, textAt), target, at);
            case Expr.Row row when row.of().equals(target.type()) && row.of() != OtherType.RECORD -> row;
            case Expr.Row row -> {
                if (row.mayBeMissing()) {
                    throw analysis.unsupported(at, "a cast of a row that an outer join may not have");
                }
                requireCount(row, target, at);
                yield row(row.items(), target, at);
            }
            default ->
                throw analysis.unsupported(at, "a cast to type " + target.type().name());
        };
    }

    private List<Expr> fields(String text, RowType target, int at) {
        try {
            List<Expr> fields = new ArrayList<>();
            for (String field : RecordText.parse(text, target.columns().size())) {
                fields.add(field == null ? new Expr.Null(at) : new Expr.Text(field, at));
            }
            return fields;
        } catch (QueryException malformed) {
            throw conversions.statement().located(malformed, at);
        }
    }

    private void requireCount(Expr.Row row, RowType target, int at) {
        int count = row.items().size();
        int wanted = target.columns().size();
        if (count != wanted) {
            throw analysis.error(
                            SqlState.CANNOT_COERCE,
                            at,
                            "cannot cast type record to " + target.type().name())
                    .withDetail(count < wanted ? "Input has too few columns." : "Input has too many columns.");
        }
    }

    private Expr.Row row(List<Expr> fields, RowType target, int at) {
        List<Expr> items = new ArrayList<>();
        for (int index = 0; index < fields.size(); index++) {
            items.add(field(
                    fields.get(index),
                    target.columns().get(index),
                    target.held().get(index),
                    at));
        }
        return new Expr.Row(items, target.names(), target.type(), false, at);
    }

    private Expr field(Expr field, Column column, RelDataType held, int at) {
        OtherType other = SqlTypes.other(held);
        boolean isKnown = column.type() != SqlType.OTHER || other != null && other.isEnum();
        if (!isKnown || column.type() == SqlType.ARRAY) {
            throw analysis.unsupported(at, "a row with a field of this type");
        }
        return conversions.cast(field, new TypeNames.Target(column.type(), column.typmod(), null, other), at);
    }
}
