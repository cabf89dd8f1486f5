package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.rel.AsofJoin;
import dev.quarrel.calcite.rel.WithRows;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Visible;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.RecordFields;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.FieldOperator;
import dev.quarrel.calcite.sql.type.DeclaredTable;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.function.RecordRows;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.schema.Table;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Looks up column names in a scope and the scopes around it.
///
/// - Errors: 42703, 42702, 42P01 with PostgreSQL's messages.
/// - Source: PostgreSQL's `parse_relation.c`.
final class Columns {
    private static final String TABLEOID = "tableoid";

    private final Analysis analysis;

    Columns(Analysis analysis) {
        this.analysis = analysis;
    }

    Expr column(SqlIdentifier name, Scope scope) {
        int at = Positions.start(name);
        if (name.names.size() == 1) {
            String column = name.names.get(0);
            Expr.Value value = unqualified(column, scope, at);
            if (value != null) {
                return value;
            }
            Expr row = row(List.of(column), scope, at);
            if (row == null && column.equals(TABLEOID)) {
                row = tableoid(scope, at);
            }
            if (row != null) {
                return row;
            }
            throw analysis.error(SqlState.UNDEFINED_COLUMN, at, "column \"" + column + "\" does not exist");
        }
        return qualified(name, scope, at);
    }

    /// The column, or null where no scope has one of that name.
    Expr.Value unqualified(String column, Scope scope, int at) {
        Scope.Link link = null;
        for (Scope level = scope; level != null; link = level.link(), level = level.parent()) {
            Visible found = null;
            if (level.from() != null) {
                for (Visible visible : level.from().visible()) {
                    if (visible.name().equals(column)) {
                        if (found != null) {
                            throw analysis.error(
                                    SqlState.AMBIGUOUS_COLUMN, at, "column reference \"" + column + "\" is ambiguous");
                        }
                        found = visible;
                    }
                }
            }
            if (found == null) {
                found = hidden(column, level.from(), at);
            }
            if (found != null) {
                return reference(found, level, link, qualifiedName(found, level.from()), at);
            }
        }
        return null;
    }

    /// Where a column of a table in FROM is.
    ///
    /// @param tableColumn the table's name for it
    record Place(Entry entry, Scope level, Scope.Link link, Visible column, String tableColumn) {
        /// The table, or the elements of one, as it knows its columns; null where it does not.
        DeclaredTable declared(Analysis analysis) {
            return switch (entry.row()) {
                case Scope.Whole.OfTable(String schema, String table, var _, var _) ->
                    analysis.tableOrNull(schema, table) instanceof Analysis.TableScan scan ? scan.declared() : null;
                case Scope.Whole.OfElements(DeclaredTable elements, var _, boolean _) -> elements;
                default -> null;
            };
        }
    }

    /// Null for what is no column of a table, or several tables'.
    Place place(SqlIdentifier name, Scope scope) {
        String column = name.names.getLast();
        List<String> table = name.names.subList(0, name.names.size() - 1);
        Scope.Link link = null;
        for (Scope level = scope; level != null; link = level.link(), level = level.parent()) {
            List<Place> found = new ArrayList<>();
            boolean isThere = false;
            for (Entry entry :
                    level.from() == null ? List.<Entry>of() : level.from().entries()) {
                if (!table.isEmpty() && entry != entry(level.from(), table)) {
                    continue;
                }
                for (int index = 0; index < entry.columns().size(); index++) {
                    Visible each = entry.columns().get(index);
                    if (each.name().equals(column)) {
                        isThere = true;
                        List<String> own =
                                switch (entry.row()) {
                                    case Scope.Whole.OfTable whole -> whole.columns();
                                    case Scope.Whole.OfElements whole -> whole.columns();
                                    default -> null;
                                };
                        if (own != null) {
                            found.add(new Place(entry, level, link, each, own.get(index)));
                        }
                    }
                }
            }
            if (isThere || !table.isEmpty() && entry(level.from(), table) != null) {
                return found.size() == 1 ? found.getFirst() : null;
            }
        }
        return null;
    }

    /// A part of a column.
    Expr.Value reference(Place place, Visible part, int at) {
        String name = place.entry().shownAlias() + "." + place.column().name();
        return reference(part, place.level(), place.link(), name, at);
    }

    /// What type a composite is of.
    OtherType type(SqlNode value, Scope scope) {
        OtherType type = value instanceof SqlIdentifier name
                ? SqlTypes.other(((Expr.Value) column(name, scope)).rex().getType())
                : null;
        return type == null ? OtherType.RECORD : type;
    }

    /// A column that only its name leads to; null where there is none.
    ///
    /// - Errors: 42702
    private Visible hidden(String column, FromItem from, int at) {
        Visible found = null;
        for (Entry entry : from == null ? List.<Entry>of() : from.entries()) {
            for (Visible each : entry.hidden()) {
                if (each.name().equals(column)) {
                    if (found != null) {
                        throw analysis.error(
                                SqlState.AMBIGUOUS_COLUMN, at, "column reference \"" + column + "\" is ambiguous");
                    }
                    found = each;
                }
            }
        }
        return found;
    }

    private static String qualifiedName(Visible column, FromItem from) {
        for (Entry entry : from.entries()) {
            if (entry.columns().stream().anyMatch(each -> each.index() == column.firstIndex())) {
                return entry.shownAlias() + "." + column.name();
            }
        }
        return column.name();
    }

    private Expr.Value qualified(SqlIdentifier name, Scope scope, int at) {
        List<String> names = name.names;
        String column = names.get(names.size() - 1);
        List<String> table = names.subList(0, names.size() - 1);
        Scope.Link link = null;
        for (Scope level = scope; level != null; link = level.link(), level = level.parent()) {
            Entry entry = entry(level.from(), table);
            if (entry == null) {
                continue;
            }
            Visible found = null;
            for (Visible visible : entry.columns()) {
                if (visible.name().equals(column)) {
                    if (found != null) {
                        throw analysis.error(
                                SqlState.AMBIGUOUS_COLUMN, at, "column reference \"" + column + "\" is ambiguous");
                    }
                    found = visible;
                }
            }
            for (Visible hidden : entry.hidden()) {
                found = found == null && hidden.name().equals(column) ? hidden : found;
            }
            Expr.Value number =
                    found == null && column.equals(TABLEOID) ? tableoid(new Found(entry, level, link), at) : null;
            if (number != null) {
                return number;
            }
            if (found == null) {
                throw analysis.error(
                        SqlState.UNDEFINED_COLUMN, at, "column " + String.join(".", names) + " does not exist");
            }
            return reference(found, level, link, entry.alias() + "." + column, at);
        }
        throw missing(table, scope, at);
    }

    /// The FROM item `table` or `schema.table` names, or null.
    static Entry entry(FromItem from, List<String> table) {
        if (from == null) {
            return null;
        }
        String alias = table.get(table.size() - 1);
        String schema = table.size() > 1 ? table.get(table.size() - 2) : null;
        for (Entry entry : from.entries()) {
            if (entry.alias().equals(alias) && (schema == null || schema.equals(entry.schema()))) {
                return entry;
            }
        }
        return null;
    }

    /// `t.*` where an expression stands: the row of a FROM item.
    ///
    /// - Errors: 42P01
    Expr wholeRow(SqlIdentifier star, Scope scope) {
        List<String> table = star.names.subList(0, star.names.size() - 1);
        Expr row = row(table, scope, Positions.start(star));
        if (row == null) {
            throw missing(table, scope, Positions.start(star));
        }
        return row;
    }

    /// A column that `t.*` stands for.
    record Named(String name, Expr.Value value) {}

    /// The columns of a FROM item, by their names here.
    ///
    /// - Errors: 42P01
    List<Named> all(SqlIdentifier star, Scope scope) {
        List<String> table = star.names.subList(0, star.names.size() - 1);
        int at = Positions.start(star);
        Found found = find(table, scope);
        if (found == null) {
            throw missing(table, scope, at);
        }
        return found.entry().columns().stream()
                .map(column -> new Named(column.name(), found.reference(this, column, at)))
                .toList();
    }

    /// The row of the FROM item of that name; null where there is none.
    private Expr row(List<String> table, Scope scope, int at) {
        Found found = find(table, scope);
        if (found == null) {
            return null;
        }
        Entry entry = found.entry();
        List<Expr> items = new ArrayList<>();
        for (Visible column : entry.columns()) {
            items.add(found.reference(this, column, at));
        }
        if (entry.row() instanceof Scope.Whole.Single) {
            return items.getFirst();
        }
        boolean mayBeMissing = hasOuterJoin(found.level().from().rel())
                && items.stream()
                        .allMatch(each -> ((Expr.Value) each).rex().getType().isNullable());
        List<String> names = entry.columns().stream().map(Visible::name).toList();
        List<String> typeNames = entry.row() instanceof Scope.Whole.OfTable whole ? whole.columns() : names;
        return new Expr.Row(items, names, typeNames, type(entry.row()), true, mayBeMissing, at);
    }

    /// The number of the one table in FROM; null where there is none.
    ///
    /// - Errors: 42702 for several
    private Expr.Value tableoid(Scope scope, int at) {
        Scope.Link link = null;
        for (Scope level = scope; level != null; link = level.link(), level = level.parent()) {
            Expr.Value number = null;
            for (Entry entry :
                    level.from() == null ? List.<Entry>of() : level.from().entries()) {
                Expr.Value each = tableoid(new Found(entry, level, link), at);
                if (each != null && number != null) {
                    throw analysis.error(
                            SqlState.AMBIGUOUS_COLUMN, at, "column reference \"" + TABLEOID + "\" is ambiguous");
                }
                number = each == null ? number : each;
            }
            if (number != null) {
                return number;
            }
        }
        return null;
    }

    /// The table's number, which is NULL where an outer join found no row of it; null for what is no table, or where
    /// nobody numbers tables.
    ///
    /// - Errors: 0A000 where no column tells whether there is a row
    private Expr.Value tableoid(Found found, int at) {
        if (!(found.entry().row() instanceof Scope.Whole.OfTable(String schema, String table, var _, var _))) {
            return null;
        }
        String name = Identifiers.quoted(schema) + "." + Identifiers.quoted(table);
        long oid = analysis.context().objectIds().find(PgType.REGCLASS, name);
        if (oid <= 0) {
            return null;
        }
        RexNode number = analysis.maker().integer(oid, SqlType.OID);
        if (hasOuterJoin(found.level().from().rel())) {
            if (!found.entry().catalog()) {
                throw analysis.unsupported(at, "tableoid in an outer join");
            }
            // Each relation of the catalogs has columns that are never NULL.
            RexBuilder builder = analysis.maker().builder();
            List<RexNode> present = found.entry().columns().stream()
                    .map(column -> found.reference(this, column, at).rex())
                    .map(value -> builder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, value))
                    .toList();
            RexNode absent = builder.makeNullLiteral(number.getType());
            RexNode isThere = RexUtil.composeDisjunction(builder, present);
            number = builder.makeCall(SqlStdOperatorTable.CASE, isThere, number, absent);
        }
        return new Expr.Value(number, SqlType.OID, at);
    }

    /// A FROM item of a query or of one around it.
    private record Found(Entry entry, Scope level, Scope.Link link) {
        Expr.Value reference(Columns columns, Visible column, int at) {
            return columns.reference(column, level, link, entry.shownAlias() + "." + column.name(), at);
        }
    }

    private static Found find(List<String> table, Scope scope) {
        Scope.Link link = null;
        for (Scope level = scope; level != null; link = level.link(), level = level.parent()) {
            Entry entry = entry(level.from(), table);
            if (entry != null) {
                return new Found(entry, level, link);
            }
        }
        return null;
    }

    private static boolean hasOuterJoin(RelNode rel) {
        return rel instanceof Join join && join.getJoinType().isOuterJoin()
                || rel instanceof Correlate correlate && correlate.getJoinType().isOuterJoin()
                || rel instanceof AsofJoin nearest && nearest.match().keepsLeft()
                || rel.getInputs().stream().anyMatch(Columns::hasOuterJoin);
    }

    private OtherType type(Scope.Whole row) {
        return row instanceof Scope.Whole.OfTable(String schema, String table, var _, var _)
                ? rowType(schema, table)
                : OtherType.RECORD;
    }

    /// The type of a table's rows.
    OtherType rowType(String schema, String table) {
        String name = Identifiers.quoted(schema) + "." + Identifiers.quoted(table);
        long oid = analysis.context().objectIds().find(PgType.REGTYPE, name);
        boolean isPublic = schema.equals("public");
        return oid <= 0
                ? OtherType.RECORD
                : new OtherType((int) oid, isPublic ? Identifiers.quoted(table) : name, List.of(), false, true);
    }

    QueryException missing(List<String> table, Scope scope, int at) {
        String name = table.get(table.size() - 1);
        for (Scope level = scope; level != null; level = level.parent()) {
            List<Entry> entries =
                    level.from() == null ? List.of() : level.from().entries();
            for (Entry entry : entries) {
                if (name.equals(entry.table())) {
                    return analysis.error(
                                    SqlState.UNDEFINED_TABLE,
                                    at,
                                    "invalid reference to FROM-clause entry for table \"" + name + "\"")
                            .withHint("Perhaps you meant to reference the table alias \"" + entry.alias() + "\".");
                }
            }
        }
        return analysis.error(SqlState.UNDEFINED_TABLE, at, "missing FROM-clause entry for table \"" + name + "\"");
    }

    /// A column as an expression of `level`'s row; through the correlation variable where it is an outer query's.
    private Expr.Value reference(Visible column, Scope level, Scope.Link link, String name, int at) {
        analysis.seen(level);
        if (link != null) {
            link.use(at);
        }
        if (level.select() != null) {
            level.select().addColumnUse(new Select.ColumnUse(column.firstIndex(), name, at, link != null));
        }
        return column.value(field(column, level.from(), link == null ? null : row(level, link)), at);
    }

    /// The row of a query around, through its correlation variable.
    RexNode row(Scope level, Scope.Link link) {
        RelDataType type = level.from().rel().getRowType();
        if (level.select() != null && level.select().mayMakeNull()) {
            RelDataTypeFactory.Builder fields = analysis.maker().factory().builder();
            type.getFieldList()
                    .forEach(field ->
                            fields.add(field.getName(), analysis.maker().nullable(field.getType(), true)));
            type = fields.build();
        }
        return analysis.maker().builder().makeCorrel(type, link.id());
    }

    /// An expression over the row of a query around as one over its correlation variable. Aggregates are behind FROM's
    /// columns.
    RexNode outward(RexNode rex, Scope level, Scope.Link link) {
        RexMaker maker = analysis.maker();
        RexNode row = row(level, link);
        return rex.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                RelDataTypeFactory.Builder fields = maker.factory().builder();
                fields.addAll(row.getType().getFieldList());
                for (int index = row.getType().getFieldCount(); index <= input.getIndex(); index++) {
                    fields.add("aggregate" + index, input.getType());
                }
                RelDataType wide = fields.build();
                return maker.builder().makeFieldAccess(maker.builder().makeCorrel(wide, link.id()), input.getIndex());
            }
        });
    }

    /// @param row of an outer query, or null for FROM's own
    RexNode field(Visible column, FromItem from, RexNode row) {
        if (column.merged().isEmpty()) {
            RexMaker maker = analysis.maker();
            return row == null
                    ? maker.builder().makeInputRef(from.rel(), column.index())
                    : maker.builder().makeFieldAccess(row, column.index());
        }
        List<Expr> sides = new ArrayList<>();
        for (Visible side : column.merged()) {
            sides.add(side.value(field(side, from, row), -1));
        }
        return firstPresent(analysis.commonTypes().unified(sides, column.type(), "JOIN/USING").stream()
                .map(Expr.Value::rex)
                .toList());
    }

    private RexNode firstPresent(List<RexNode> values) {
        RexMaker maker = analysis.maker();
        RexNode last = values.getLast();
        if (values.size() == 1) {
            return last;
        }
        List<RexNode> operands = new ArrayList<>();
        for (RexNode value : values.subList(0, values.size() - 1)) {
            operands.add(RecordFields.presence(maker, value));
            operands.add(value);
        }
        operands.add(last);
        return maker.builder()
                .makeCall(maker.nullable(values.getFirst().getType(), true), SqlStdOperatorTable.CASE, operands);
    }

    /// Fields of a table's composite columns, `(v).a`, `(t.v).a.b` and `(v).*`, and of elements of its lists of
    /// structs, `(v[1]).a`: each is a column of the table that only its path leads to, so that nothing else of the
    /// composite is read.
    static final class Composites {
        static final String ELEMENT = "unnest"; // as tables by elements call it

        private final Columns columns;
        private final Scope scope;
        private final Function<SqlNode, Expr> values;
        private final Subscripts subscripts;

        /// Analyses `array[i]` where the array is known.
        @FunctionalInterface
        interface Subscripts {
            /// @param item the call, with an array of its own
            Expr of(Expr.Value array, SqlCall item);
        }

        Composites(Columns columns, Scope scope, Function<SqlNode, Expr> values, Subscripts subscripts) {
            this.columns = columns;
            this.scope = scope;
            this.values = values;
            this.subscripts = subscripts;
        }

        /// A composite, or a field of one.
        ///
        /// @param path as its table has it
        /// @param parts the columns of the table that are its fields, in their order
        private record Composite(FieldPath path, Source source, List<FieldPath> parts) {}

        /// Where the fields of a composite are from.
        private interface Source {
            List<FieldPath> paths();

            Expr.Value value(FieldPath path, int at);
        }

        /// A column of a table, maybe one that a sub-query hands on.
        private interface Whole {
            /// As the table has it.
            String column();

            SqlType type();

            /// The same as the column has it, with what is known of its fields; null where nobody can say.
            default RelDataType rowType() {
                return null;
            }

            /// The table's columns, parts of this one among them.
            List<String> parts();

            Expr.Value part(String name, int at);

            /// What the table is by the elements of lists of that name; null where there is no such table.
            DeclaredTable elements(String lists);

            /// The modifier that a field of such an element is declared with.
            default int typmod(RelDataTypeFactory types, FieldPath path) {
                DeclaredTable elements = elements(path.column());
                if (!(elements instanceof Table rows)) {
                    return Expr.NO_TYPMOD;
                }
                String name = new FieldPath(ELEMENT, path.fields()).toString();
                int index = rows.getRowType(types).getFieldNames().indexOf(name);
                return index < 0 ? Expr.NO_TYPMOD : elements.typmod(index);
            }
        }

        /// The fields of a composite; null for what is none.
        Expr.Row row(SqlNode value) {
            Composite composite = find(value);
            if (composite == null) {
                return null;
            }
            int at = Positions.start(value);
            List<Expr> items = new ArrayList<>();
            List<String> names = new ArrayList<>();
            for (FieldPath part : composite.parts()) {
                names.add(part.lastField());
                items.add(composite.source().value(part, at));
            }
            return new Expr.Row(items, names, names, columns.type(value, scope), false, false, at);
        }

        /// A composite with its fields, and theirs; null for what is none.
        ///
        /// @param own the value itself
        RowComparisons.Part whole(SqlNode value, Function<SqlNode, Expr> own, RexMaker maker) {
            Composite composite = find(value);
            return composite != null && own.apply(value) instanceof Expr.Value whole
                    ? whole(composite, whole, maker, Positions.start(value))
                    : null;
        }

        private static RowComparisons.Part whole(Composite composite, Expr.Value own, RexMaker maker, int at) {
            List<RowComparisons.Part> parts = new ArrayList<>();
            for (FieldPath part : composite.parts()) {
                Expr.Value field = composite.source().value(part, at);
                Composite inner = composite(composite.source(), part);
                parts.add(
                        inner == null
                                ? new RowComparisons.Part(field, null, List.of())
                                : whole(inner, field, maker, at));
            }
            // Of a composite IS NULL asks its fields; its text is NULL where it is itself.
            RexNode text = maker.cast(maker.rel(SqlType.TEXT), own.rex());
            RexNode isNull = maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), text);
            return new RowComparisons.Part(own, isNull, parts);
        }

        /// A field of a composite; null where it has none of that name.
        Expr field(SqlNode value, String name) {
            Composite composite = find(value);
            FieldPath found = composite == null
                    ? null
                    : composite.parts().stream()
                            .filter(part -> part.lastField().equals(name))
                            .findFirst()
                            .orElse(null);
            return found == null ? null : composite.source().value(found, Positions.start(value));
        }

        /// How many elements the lists of a column, or of a member of its structs, have whose elements are structs;
        /// null for any other value.
        Expr.Value cardinality(SqlNode value) {
            Held held = held(value);
            return held == null || held.type(value).isArray()
                    ? null
                    : held.part(FilePart.Kind.CARDINALITY, Positions.start(value));
        }

        /// Which member a union has; null for any other value.
        Expr.Value tag(SqlNode value) {
            Held held = held(value);
            return held == null ? null : held.part(FilePart.Kind.TAG, Positions.start(value));
        }

        /// A column of a table, or a member of its structs.
        ///
        /// @param name as the table has it
        private record Held(Whole whole, String name) {
            SqlType type(SqlNode value) {
                return name.equals(whole.column())
                        ? whole.type()
                        : whole.part(name, Positions.start(value)).type();
            }

            /// A part of it; null where the table has none.
            Expr.Value part(FilePart.Kind kind, int at) {
                return whole.parts().contains(kind.of(name)) ? whole.part(kind.of(name), at) : null;
            }
        }

        /// Null for any other value.
        private Held held(SqlNode value) {
            SqlIdentifier root = root(value);
            Whole whole = root == null ? null : whole(root);
            if (whole == null) {
                return null;
            }
            String name = path(value, whole.column()).toString();
            return root == value || whole.parts().contains(name) ? new Held(whole, name) : null;
        }

        /// Lists with structs or maps, of a table's column or of a member of its structs, as JSON; null for any other
        /// value.
        ///
        /// - Errors: 0A000 for lists of structs that are known by their texts alone, as those in elements
        /// of others.
        Expr.Value document(SqlNode value) {
            Held held = held(value);
            if (held == null) {
                return null;
            }
            Expr.Value document = held.part(FilePart.Kind.JSON, Positions.start(value));
            if (document == null && hasStructs(held)) {
                throw columns.analysis.unsupported(
                        Positions.start(value), "JSON of lists of structs that are in elements of others");
            }
            return document;
        }

        private boolean hasStructs(Held held) {
            return held.whole().elements(held.name()) instanceof Table rows
                    && rows.getRowType(columns.analysis.maker().factory()).getFieldNames().stream()
                            .map(FieldPath::parse)
                            .anyMatch(path -> path != null && path.isChildOf(new FieldPath(ELEMENT)));
        }

        /// The column that a value is, or of which it is a member; null for any other value.
        static SqlIdentifier root(SqlNode value) {
            return switch (value) {
                case SqlIdentifier name -> name.isStar() ? null : name;
                case SqlCall call
                when call.getKind() == SqlKind.DOT
                        && call.operand(1) instanceof SqlIdentifier field
                        && field.isSimple() -> root(call.operand(0));
                default -> null;
            };
        }

        /// The path of a value below its root.
        ///
        /// @param column as the table has the root
        static FieldPath path(SqlNode value, String column) {
            if (value instanceof SqlCall call) {
                return path(call.operand(0), column).child(((SqlIdentifier) call.operand(1)).getSimple());
            }
            FieldPath ofElement = FieldPath.parse(column);
            return ofElement == null ? new FieldPath(column) : ofElement;
        }

        /// Null for a value that is no composite column, or has no fields that are known.
        private Composite find(SqlNode value) {
            if (value instanceof SqlIdentifier name) {
                Whole whole = whole(name);
                return whole == null ? null : composite(fields(whole), path(name, whole.column()));
            }
            if (!(value instanceof SqlCall call)) {
                return null;
            }
            if (call.getKind() == SqlKind.DOT && call.operand(1) instanceof SqlIdentifier field && field.isSimple()) {
                Composite around = find(call.operand(0));
                return around == null
                        ? null
                        : composite(around.source(), around.path().child(field.getSimple()));
            }
            boolean isElement = call.getKind() == SqlKind.ITEM
                    && !(call.operand(1) instanceof SqlCall slice && slice.getOperator() == PostgresOperators.SLICE);
            Held array = isElement ? held(call.operand(0)) : null;
            return array == null ? null : composite(fieldsOfElement(array, call), new FieldPath(array.name()));
        }

        private static Composite composite(Source source, FieldPath path) {
            List<FieldPath> parts =
                    source.paths().stream().filter(each -> each.isChildOf(path)).toList();
            return parts.isEmpty() ? null : new Composite(path, source, parts);
        }

        private static List<FieldPath> paths(Whole whole, Function<String, FieldPath> path) {
            return whole.parts().stream().map(path).filter(Objects::nonNull).toList();
        }

        private Source fields(Whole whole) {
            return new Source() {
                @Override
                public List<FieldPath> paths() {
                    return Composites.paths(whole, FieldPath::parse);
                }

                @Override
                public Expr.Value value(FieldPath path, int at) {
                    Expr.Value held = whole.part(path.toString(), at);
                    Field told = whole.rowType() == null
                            ? null
                            : RecordFields.find(RecordFields.of(whole.rowType()), path.fields());
                    // Files hold the texts of intervals that are members.
                    return told != null && told.type() instanceof DataType.Interval && held.type() == SqlType.TEXT
                            ? columns.analysis.conversions().convert(held, SqlType.INTERVAL, Expr.NO_TYPMOD)
                            : held;
                }
            };
        }

        private Source fieldsOfElement(Held array, SqlCall item) {
            return new Source() {
                @Override
                public List<FieldPath> paths() {
                    return Composites.paths(array.whole(), FilePart::ofMembers);
                }

                /// From the element's text; null where its fields are not known.
                private Expr.Value ofText(FieldPath path, int at) {
                    return Composites.this.values.apply(item) instanceof Expr.Value element
                            ? columns.analysis.recordFields().field(element.rex(), path.fields(), at)
                            : null;
                }

                /// Files hold their texts.
                private boolean isOfIntervals(FieldPath path) {
                    RelDataType column = array.whole().rowType();
                    FieldPath lists = FieldPath.parse(array.name());
                    Field told = column == null
                            ? null
                            : RecordFields.ofElements(
                                    column, lists == null ? List.of() : lists.fields(), path.fields());
                    return told != null && told.type() instanceof DataType.Interval;
                }

                @Override
                public Expr.Value value(FieldPath path, int at) {
                    Expr.Value values = array.whole().part(FilePart.Kind.MEMBERS.of(path.toString()), at);
                    Expr.Value ofText = values.type().isArray() && !isOfIntervals(path) ? null : ofText(path, at);
                    if (ofText != null) {
                        return ofText;
                    }
                    if (!values.type().isArray()) {
                        throw columns.analysis.unsupported(
                                at, "the field \"" + path.lastField() + "\" of an array's element, by its type,");
                    }
                    Expr element = subscripts.of(values, item);
                    int typmod = element.type() == SqlType.NUMERIC
                            ? array.whole().typmod(columns.analysis.maker().factory(), path)
                            : Expr.NO_TYPMOD;
                    return typmod == Expr.NO_TYPMOD
                            ? (Expr.Value) element
                            : columns.analysis.conversions().convert(element, element.type(), typmod);
                }
            };
        }

        private Whole whole(SqlIdentifier name) {
            if (name.isStar()) {
                return null;
            }
            Place place = columns.place(name, scope);
            return place == null
                    ? ofSubQuery(name)
                    : place.entry().row() instanceof Scope.Whole.OfElements row
                            ? ofElements(place, row)
                            : ofTable(place);
        }

        /// What there is of the structs in lists, by the names that their table has for it.
        ///
        /// @param rows the elements, of which not all columns are theirs
        /// @param declared the same
        /// @param isScanned whether what is asked for is read where it lies, and not in the text
        record Elements(Analysis analysis, Table rows, DeclaredTable declared, boolean isScanned) {
            private List<RelDataTypeField> fields() {
                return rows.getRowType(analysis.maker().factory()).getFieldList();
            }

            /// What is read in a text has no more than its fields.
            List<String> names() {
                return fields().stream()
                        .map(RelDataTypeField::getName)
                        .filter(name -> isScanned || FieldPath.parse(name) != null)
                        .toList();
            }

            List<FieldPath> children(FieldPath parent) {
                return fields().stream()
                        .map(field -> FieldPath.parse(field.getName()))
                        .filter(path -> path != null && path.isChildOf(parent))
                        .toList();
            }

            private RelDataTypeField field(String name) {
                return fields().stream()
                        .filter(field -> field.getName().equals(name))
                        .findFirst()
                        .orElseThrow();
            }

            Scope.Column column(String name) {
                RelDataTypeField field = field(name);
                SqlType type = SqlType.of(SqlTypes.pgType(field.getType()));
                return new Scope.Column(
                        name,
                        type,
                        declared.typmod(field.getIndex()),
                        analysis.collations().ofColumn(type, declared.collation(field.getIndex())));
            }

            /// A part of an element.
            RexNode part(String name, RexNode element, int at) {
                RexMaker maker = analysis.maker();
                RelDataType held = maker.nullable(field(name).getType(), true);
                if (isScanned) {
                    return maker.builder().makeCall(held, new FieldOperator(name), List.of(element));
                }
                FieldPath path = FieldPath.parse(name);
                RexNode text = element;
                for (int depth = 0; depth < path.fields().size(); depth++) {
                    FieldPath around =
                            new FieldPath(path.column(), path.fields().subList(0, depth));
                    List<FieldPath> members = children(around);
                    int index = members.indexOf(around.child(path.fields().get(depth)));
                    text = CatalogFunction.call(
                            maker,
                            RecordRows.FIELD,
                            List.of(
                                    text,
                                    maker.integer(index, SqlType.INT4),
                                    maker.integer(members.size(), SqlType.INT4)));
                }
                Scope.Column column = column(name);
                boolean isHeldAsText =
                        column.type() == SqlType.OTHER || column.type().isArray();
                return isHeldAsText
                        ? maker.builder().makeCall(held, ((RexCall) text).getOperator(), ((RexCall) text).getOperands())
                        : analysis.conversions()
                                .convert(new Expr.Value(text, SqlType.TEXT, at), column.type(), column.typmod())
                                .rex();
            }
        }

        /// A field of what `unnest` gives of a list of structs.
        private Whole ofElements(Place place, Scope.Whole.OfElements row) {
            Elements elements = new Elements(columns.analysis, (Table) row.elements(), row.elements(), row.isScanned());
            return new Whole() {
                @Override
                public String column() {
                    return place.tableColumn();
                }

                @Override
                public SqlType type() {
                    return place.column().type();
                }

                @Override
                public List<String> parts() {
                    return elements.names();
                }

                @Override
                public Expr.Value part(String name, int at) {
                    Visible struct = place.entry().hidden().getFirst();
                    RexNode element = columns.reference(place, struct, at).rex();
                    return elements.column(name).value(elements.part(name, element, at), at);
                }

                @Override
                public DeclaredTable elements(String lists) {
                    return row.elements().elements(lists);
                }
            };
        }

        /// A column of a table in FROM.
        private Whole ofTable(Place place) {
            List<Visible> hidden = place.entry().hidden();
            return new Whole() {
                @Override
                public String column() {
                    return place.tableColumn();
                }

                @Override
                public RelDataType rowType() {
                    int index = place.column().index();
                    RelDataType row = place.level().from().rel().getRowType();
                    return index < 0 ? null : row.getFieldList().get(index).getType();
                }

                @Override
                public SqlType type() {
                    return place.column().type();
                }

                @Override
                public List<String> parts() {
                    return hidden.stream().map(Visible::name).toList();
                }

                @Override
                public Expr.Value part(String name, int at) {
                    Visible column = hidden.stream()
                            .filter(each -> each.name().equals(name))
                            .findFirst()
                            .orElseThrow();
                    return columns.reference(place, column, at);
                }

                @Override
                public DeclaredTable elements(String lists) {
                    DeclaredTable declared = place.declared(columns.analysis);
                    return declared == null ? null : declared.elements(lists);
                }
            };
        }

        /// What a sub-query has from a table as it is; null for anything else.
        private Whole ofSubQuery(SqlIdentifier name) {
            if (name.names.size() == 1 && columns.unqualified(name.getSimple(), scope, Positions.start(name)) == null) {
                return null; // the row of an item of FROM
            }
            if (!(columns.column(name, scope) instanceof Expr.Value value)
                    || !(value.rex() instanceof RexInputRef input)) {
                return null;
            }
            Origin origin = Origin.of(scope.from().rel(), input.getIndex());
            if (origin == null) {
                return null;
            }
            return new Whole() {
                @Override
                public String column() {
                    return origin.column();
                }

                @Override
                public SqlType type() {
                    return value.type();
                }

                @Override
                public RelDataType rowType() {
                    return value.rex().getType();
                }

                @Override
                public List<String> parts() {
                    return origin.scan().getRowType().getFieldNames();
                }

                @Override
                public Expr.Value part(String part, int at) {
                    return origin.part(columns.analysis, value.rex(), part, at);
                }

                @Override
                public DeclaredTable elements(String lists) {
                    DeclaredTable declared = origin.scan().getTable().unwrap(DeclaredTable.class);
                    return declared == null ? null : declared.elements(lists);
                }
            };
        }

        /// The table's column that a sub-query hands on.
        private record Origin(TableScan scan, String column) {
            static Origin of(RelNode rel, int index) {
                return switch (rel) {
                    case TableScan scan ->
                        new Origin(scan, scan.getRowType().getFieldNames().get(index));
                    case WithRows rows -> isMadeOnce(rows, index) ? null : of(rows.getInput(), index);
                    case Filter filter -> of(filter.getInput(), index);
                    case Sort sort -> of(sort.getInput(), index);
                    case Project project ->
                        project.getProjects().get(index) instanceof RexInputRef input
                                ? of(project.getInput(), input.getIndex())
                                : null;
                    case Join join
                    when join.getJoinType().projectsRight() -> {
                        int width = join.getLeft().getRowType().getFieldCount();
                        yield index < width ? of(join.getLeft(), index) : of(join.getRight(), index - width);
                    }
                    default -> null;
                };
            }

            /// Whether the table's columns are out of reach, and the text tells the fields.
            private static boolean isMadeOnce(WithRows rows, int index) {
                OtherType type = SqlTypes.other(
                        rows.getRowType().getFieldList().get(index).getType());
                return rows.query().materialized() == WithRows.Materialized.YES
                        && type != null
                        && !type.fields().isEmpty();
            }

            /// The composite, and the field as it is read from its text, where that is known.
            private static List<RexNode> operands(
                    Analysis analysis, RexNode whole, String name, RelDataType type, int at) {
                FieldPath path = FieldPath.parse(name);
                Expr.Value ofText =
                        path == null ? null : analysis.recordFields().field(whole, path.fields(), at);
                return ofText == null
                        ? List.of(whole)
                        : List.of(whole, analysis.maker().cast(analysis.maker().nullable(type, true), ofText.rex()));
            }

            Expr.Value part(Analysis analysis, RexNode whole, String name, int at) {
                int index = scan.getRowType().getFieldNames().indexOf(name);
                RelDataType type = scan.getRowType().getFieldList().get(index).getType();
                DeclaredTable declared = scan.getTable().unwrap(DeclaredTable.class);
                SqlType sqlType = SqlType.of(SqlTypes.pgType(type));
                Scope.Column column = new Scope.Column(
                        name,
                        sqlType,
                        declared == null ? SqlTypes.typmod(type) : declared.typmod(index),
                        analysis.collations().ofColumn(sqlType, declared == null ? null : declared.collation(index)));
                RexNode part = analysis.maker()
                        .builder()
                        .makeCall(
                                analysis.maker().nullable(type, true),
                                new FieldOperator(name),
                                operands(analysis, whole, name, type, at));
                return column.value(part, at);
            }
        }
    }
}
