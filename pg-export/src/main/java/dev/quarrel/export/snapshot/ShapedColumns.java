package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ColumnRules;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Columns as the [ColumnRules] want them.
final class ShapedColumns {
    private final ColumnRules rules;
    private final NestedTypes nestedTypes;
    private final Maker maker;
    private final ColumnFilter halves;
    private final ColumnFilter dictionaries;
    private final ColumnFilter statistics;

    /// Makes a column that is exported without rules.
    interface Maker {
        ExportColumn column(String name, long typeOid, int typmod, long collationOid) throws SQLException;
    }

    ShapedColumns(ColumnRules rules, NestedTypes nestedTypes, Maker maker) {
        this.rules = rules;
        this.nestedTypes = nestedTypes;
        this.maker = maker;
        this.halves = ColumnFilter.of("float2", rules.halves());
        this.dictionaries = ColumnFilter.of("dictionary", rules.dictionaries().orElse(List.of()));
        this.statistics = ColumnFilter.of("stat", rules.statistics().orElse(List.of()));
    }

    /// @param relation where the columns are, as SQL names it; null where it may not be read twice
    List<ExportColumn> shaped(String relation, String schema, String table, List<ExportColumn> columns)
            throws SQLException {
        List<ExportColumn> flat = new ArrayList<>();
        for (ExportColumn column : columns) {
            addFlat(column, flat);
        }
        List<ExportColumn> shaped = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ExportColumn column : flat) {
            if (!names.add(column.name())) {
                throw new QueryException(
                        SqlState.DUPLICATE_COLUMN,
                        "table " + table + " has two columns named " + column.name() + " when it is flattened");
            }
            shaped.add(shaped(schema, table, column));
        }
        return nestedTypes.nested(relation, shaped);
    }

    void checkAllMatched() {
        halves.checkAllMatched();
        dictionaries.checkAllMatched();
        statistics.checkAllMatched();
    }

    private void addFlat(ExportColumn column, List<ExportColumn> flat) throws SQLException {
        boolean isRow = rules.flatten()
                && column.declared().other() != null
                && column.declared().other().isRow();
        List<NestedTypes.Attribute> attributes =
                isRow ? nestedTypes.attributesOf(column.declared().oid()) : List.of();
        if (attributes.isEmpty()) {
            flat.add(column);
            return;
        }
        for (NestedTypes.Attribute attribute : attributes) {
            ExportColumn member = maker.column(
                    column.name() + "." + attribute.name(),
                    attribute.type(),
                    attribute.typmod(),
                    attribute.collation());
            addFlat(
                    member.withExpression("(" + column.expression() + ")." + ExportTable.quoted(attribute.name())),
                    flat);
        }
    }

    private ExportColumn shaped(String schema, String table, ExportColumn column) {
        ExportColumn.Layout layout = ExportColumn.Layout.PLAIN;
        if (rules.dictionaries().isPresent()) {
            boolean isNamed = dictionaries.matches(schema, table, column.name());
            if (isNamed && !(column.dataType() instanceof DataType.Utf8)) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "column " + table + "." + column.name() + " is "
                                + column.declared().text() + ", and a dictionary holds texts");
            }
            layout = layout.withDictionary(
                    isNamed ? ExportColumn.DictionaryChoice.ALWAYS : ExportColumn.DictionaryChoice.ENUM);
        }
        layout = layout.withSummary(rules.statistics().isEmpty() || statistics.matches(schema, table, column.name()));
        if (!halves.matches(schema, table, column.name())) {
            return column.withLayout(layout);
        }
        PgType type = column.declared().type();
        if (type != PgType.FLOAT4 && type != PgType.FLOAT8) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH,
                    "column " + table + "." + column.name() + " is "
                            + column.declared().text() + ", and half floats are made of real and double precision");
        }
        return column.withLayout(layout.asHalf());
    }
}
