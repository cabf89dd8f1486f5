package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresSelect;
import dev.quarrel.calcite.parse.PostgresWithItem;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.Scope.Visible;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.RecordRows;
import dev.quarrel.core.pg.RowShape;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSetOperator;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// SEARCH and CYCLE of a recursive query: columns that tell by which rows a row was reached. The working table has them
/// behind its own, and the second term hands on those of the row that it comes from.
///
/// - Source: PostgreSQL's `rewriteSearchCycle.c`, and analyzeCTE in `parse_cte.c`.
final class RowPaths {
    /// Behind an alias: the entry of FROM that has the added columns, which no statement can name.
    private static final String HIDDEN = "\0";

    private static final Set<SqlType> COMPARED = EnumSet.of(
            SqlType.BOOL,
            SqlType.INT2,
            SqlType.INT4,
            SqlType.INT8,
            SqlType.FLOAT4,
            SqlType.FLOAT8,
            SqlType.NUMERIC,
            SqlType.TEXT,
            SqlType.VARCHAR,
            SqlType.BPCHAR,
            SqlType.DATE,
            SqlType.TIME,
            SqlType.TIMESTAMP,
            SqlType.TIMESTAMPTZ,
            SqlType.UUID);

    private final Analysis analysis;
    private final Conversions conversions;
    private final RexMaker maker;
    private final PostgresWithItem item;
    private final List<Column> own;
    private final ExpressionAnalyzer expressions;
    private final List<Integer> searched = new ArrayList<>();
    private final List<Integer> cycled = new ArrayList<>();
    private Expr.Value value;
    private Expr.Value otherwise;

    /// - Errors: 42601 and 42701 for columns that are not there, or twice; 0A000 for terms that are no simple SELECT.
    ///
    /// @param columns of the query itself
    RowPaths(Analysis analysis, PostgresWithItem item, List<Column> columns, Scope scope, SqlCall union) {
        this.analysis = analysis;
        this.conversions = analysis.conversions();
        this.maker = analysis.maker();
        this.item = item;
        this.own = columns;
        this.expressions = new ExpressionAnalyzer(analysis, scope);
        requireSelects(union);
        PostgresWithItem.Search search = item.search();
        PostgresWithItem.Cycle cycle = item.cycle();
        if (search != null) {
            find(search.columns(), "search", place(search), searched);
            requireNew(search.set(), "search sequence column", place(search));
        }
        if (cycle != null) {
            find(cycle.columns(), "cycle", place(cycle), cycled);
            requireNew(cycle.mark(), "cycle mark column", place(cycle));
            requireNew(cycle.path(), "cycle path column", place(cycle));
            requireApart(cycle.mark(), "cycle mark", cycle.path(), "cycle path", place(cycle));
            mark(cycle);
        }
        if (search != null && cycle != null) {
            requireApart(search.set(), "search sequence", cycle.mark(), "cycle mark", place(search));
            requireApart(search.set(), "search sequence", cycle.path(), "cycle path", place(search));
        }
    }

    static boolean isWanted(SqlWithItem item) {
        return item instanceof PostgresWithItem ours && (ours.search() != null || ours.cycle() != null);
    }

    private static int place(PostgresWithItem.Search search) {
        return search.pos().getColumnNum() - 1;
    }

    private static int place(PostgresWithItem.Cycle cycle) {
        return cycle.pos().getColumnNum() - 1;
    }

    private void requireSelects(SqlCall union) {
        if (isSet(union.operand(0))) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "with a SEARCH or CYCLE clause, the left side of the UNION must be a SELECT");
        }
        if (isSet(union.operand(1))) {
            throw new QueryException(
                    SqlState.SYNTAX_ERROR,
                    "with a SEARCH or CYCLE clause, the right side of the UNION must be a SELECT");
        }
        boolean isSimple = union.operand(1) instanceof SqlSelect select
                && !select.isDistinct()
                && select.getGroup() == null
                && select.getHaving() == null
                && select.getFetch() == null
                && select.getOffset() == null;
        if (!isSimple || !((SqlSetOperator) union.getOperator()).isAll()) {
            throw analysis.unsupported(
                    Positions.start(item.name), "SEARCH and CYCLE of anything but a simple SELECT behind UNION ALL");
        }
    }

    private static boolean isSet(SqlNode node) {
        return switch (RecursiveQueries.bare(node).getKind()) {
            case UNION, INTERSECT, EXCEPT -> true;
            default -> false;
        };
    }

    private void find(List<SqlIdentifier> names, String what, int at, List<Integer> found) {
        for (SqlIdentifier name : names) {
            int column = 0;
            while (column < own.size() && !own.get(column).name().equals(name.getSimple())) {
                column++;
            }
            if (column == own.size()) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        at,
                        what + " column \"" + name.getSimple() + "\" not in WITH query column list");
            }
            if (found.contains(column)) {
                throw analysis.error(
                        SqlState.DUPLICATE_COLUMN,
                        at,
                        what + " column \"" + name.getSimple() + "\" specified more than once");
            }
            if (!COMPARED.contains(own.get(column).type())) {
                throw analysis.unsupported(at, "SEARCH and CYCLE by a column of this type");
            }
            found.add(column);
        }
    }

    private void requireNew(SqlIdentifier name, String what, int at) {
        if (own.stream().anyMatch(each -> each.name().equals(name.getSimple()))) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    at,
                    what + " name \"" + name.getSimple() + "\" already used in WITH query column list");
        }
    }

    private void requireApart(SqlIdentifier one, String what, SqlIdentifier other, String otherwiseWhat, int at) {
        if (one.getSimple().equals(other.getSimple())) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    at,
                    what + " column name and " + otherwiseWhat + " column name are the same");
        }
    }

    private void mark(PostgresWithItem.Cycle cycle) {
        if (cycle.value() == null) {
            value = new Expr.Value(maker.literal(true), SqlType.BOOL, place(cycle));
            otherwise = new Expr.Value(maker.literal(false), SqlType.BOOL, place(cycle));
            return;
        }
        List<Expr> both = List.of(expressions.analyze(cycle.value()), expressions.analyze(cycle.otherwise()));
        SqlType type = analysis.commonTypes().of(both, "CYCLE");
        List<Expr.Value> unified = analysis.commonTypes().unified(both, type, "CYCLE");
        value = unified.get(0);
        otherwise = unified.get(1);
    }

    int count() {
        return (item.search() == null ? 0 : 1) + (item.cycle() == null ? 0 : 2);
    }

    /// All columns, as the query outside sees them.
    List<Column> columns() {
        List<Column> columns = new ArrayList<>(own);
        if (item.search() != null) {
            columns.add(new Column(item.search().set().getSimple(), SqlType.OTHER, -1));
        }
        if (item.cycle() != null) {
            columns.add(Column.of(item.cycle().mark().getSimple(), otherwise));
            columns.add(new Column(item.cycle().path().getSimple(), SqlType.OTHER, -1));
        }
        return columns;
    }

    /// @param rows the type of the query's own columns
    RelDataType rowType(RelDataType rows) {
        var type = maker.factory().builder();
        type.addAll(rows.getFieldList());
        int next = rows.getFieldCount();
        if (item.search() != null) {
            type.add(Integer.toString(next++), nullable(sequence()));
        }
        if (item.cycle() != null) {
            type.add(Integer.toString(next++), maker.nullable(maker.rel(otherwise.type(), otherwise.typmod()), true));
            type.add(Integer.toString(next), nullable(OtherType.recordsOf(fields(cycled))));
        }
        return type.build();
    }

    private RelDataType nullable(OtherType type) {
        return maker.nullable(SqlTypes.relType(maker.factory(), type), true);
    }

    private List<Field> fields(List<Integer> columns) {
        List<Field> fields = new ArrayList<>();
        columns.forEach(column ->
                fields.add(field(own.get(column).name(), own.get(column).type())));
        return fields;
    }

    private static Field field(String name, SqlType type) {
        return new Field(name, type.pgType().dataType(), true, type.pgType().formatName());
    }

    private OtherType sequence() {
        List<Field> fields = fields(searched);
        if (item.search().isDepthFirst()) {
            return OtherType.recordsOf(fields);
        }
        fields.addFirst(field("depth", SqlType.INT8));
        return OtherType.recordOf(fields);
    }

    /// The UNION whose second term has the added columns of the row that it comes from.
    ///
    /// - Errors: 0A000 where it does not name the query in its own FROM.
    SqlCall widened(SqlCall union) {
        SqlSelect select = union.operand(1);
        String alias = select.getFrom() == null ? null : alias(select.getFrom());
        if (alias == null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "with a SEARCH or CYCLE clause, the recursive reference to WITH query \"" + item.name.getSimple()
                            + "\" must be at the top level of its right-hand SELECT");
        }
        List<SqlNode> items = new ArrayList<>(select.getSelectList());
        for (int index = 0; index < count(); index++) {
            items.add(new SqlIdentifier(
                    List.of(alias + HIDDEN, Integer.toString(own.size() + index)), item.name.getParserPosition()));
        }
        SqlNode wide = new PostgresSelect(
                select.getParserPosition(),
                (SqlNodeList) select.getOperandList().getFirst(),
                PostgresSelect.distinctOn(select),
                PostgresSelect.series(select),
                new SqlNodeList(items, select.getSelectList().getParserPosition()),
                select.getFrom(),
                select.getWhere(),
                select.getGroup(),
                select.getHaving(),
                select.getWindowList(),
                select.getQualify(),
                select.getOrderList(),
                select.getOffset(),
                select.getFetch(),
                select.getHints());
        return union.getOperator().createCall(union.getParserPosition(), union.operand(0), wide);
    }

    /// What FROM calls the query; null where it does not name it.
    private String alias(SqlNode from) {
        return switch (from) {
            case SqlJoin join -> {
                String left = alias(join.getLeft());
                yield left == null ? alias(join.getRight()) : left;
            }
            case SqlIdentifier name -> isItself(name) ? name.getSimple() : null;
            case SqlCall call when call.getKind() == SqlKind.TABLE_REF -> alias(call.operand(0));
            case SqlCall call
            when call.getKind() == SqlKind.AS ->
                call.operand(0) instanceof SqlJoin || alias(call.operand(0)) == null
                        ? null
                        : ((SqlIdentifier) call.operand(1)).getSimple();
            default -> null;
        };
    }

    private boolean isItself(SqlIdentifier name) {
        return name.isSimple() && name.getSimple().equals(item.name.getSimple());
    }

    /// An item of FROM, with an entry for the added columns if it has any.
    static FromItem withHidden(FromItem from, String alias, Rows rows) {
        List<RelDataTypeField> fields = rows.rel().getRowType().getFieldList();
        int width = rows.columns().size();
        if (fields.size() <= width) {
            return from;
        }
        List<Visible> hidden = new ArrayList<>();
        for (RelDataTypeField field : fields.subList(width, fields.size())) {
            SqlType type = SqlType.of(SqlTypes.pgType(field.getType()));
            hidden.add(Visible.field(field.getIndex(), new Column(field.getName(), type, -1)));
        }
        List<Entry> entries = new ArrayList<>(from.entries());
        entries.add(new Entry(alias + HIDDEN, null, null, false, hidden));
        return new FromItem(from.rel(), entries, from.visible());
    }

    /// The first term's rows, with paths that begin there.
    RelNode first(RelNode rows) {
        List<RexNode> values = own(rows);
        if (item.search() != null) {
            RexNode start = maker.integer(0, SqlType.INT8);
            values.add(typed(
                    item.search().isDepthFirst() ? array(row(rows, searched, null)) : row(rows, searched, start),
                    sequence()));
        }
        if (item.cycle() != null) {
            values.add(otherwise.rex());
            values.add(typed(array(row(rows, cycled, null)), OtherType.recordsOf(fields(cycled))));
        }
        return project(rows, values);
    }

    /// The second term's rows, which have the columns of the rows that they come from: as paths that go on, and none
    /// from a row that closed a cycle.
    RelNode next(RelNode rows) {
        RelNode input = rows;
        int mark = own.size() + (item.search() == null ? 0 : 1);
        if (item.cycle() != null) {
            Expr.Value before = otherwise.with(maker.builder().makeInputRef(rows, mark));
            Expr.Value isOpen = expressions.operators().call("<>", before, value, () -> place(item.cycle()));
            input = LogicalFilter.create(rows, isOpen.rex());
        }
        List<RexNode> values = own(input);
        if (item.search() != null) {
            RexNode before = maker.builder().makeInputRef(input, own.size());
            RexNode types = shape(sequence().fields());
            RexNode next = item.search().isDepthFirst()
                    ? call(RecordRows.APPEND, before, row(input, searched, null))
                    : row(input, searched, call(RecordRows.NEXT_DEPTH, before, types));
            values.add(typed(next, sequence()));
        }
        if (item.cycle() != null) {
            RexNode path = maker.builder().makeInputRef(input, mark + 1);
            RexNode row = row(input, cycled, null);
            RexNode isClosed = call(RecordRows.IS_IN, path, row, shape(fields(cycled)));
            RelDataType type = maker.nullable(maker.rel(otherwise.type(), otherwise.typmod()), true);
            values.add(maker.cases(
                    type,
                    maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), isClosed),
                    value.rex(),
                    otherwise.rex()));
            values.add(typed(call(RecordRows.APPEND, path, row), OtherType.recordsOf(fields(cycled))));
        }
        return project(input, values);
    }

    private List<RexNode> own(RelNode rows) {
        List<RexNode> values = new ArrayList<>();
        for (int column = 0; column < own.size(); column++) {
            values.add(maker.builder().makeInputRef(rows, column));
        }
        return values;
    }

    /// The text of a row of columns.
    ///
    /// @param depth before them; null for none
    private RexNode row(RelNode rows, List<Integer> columns, RexNode depth) {
        int at = Positions.start(item.name);
        List<Expr> items = new ArrayList<>();
        if (depth != null) {
            items.add(new Expr.Value(depth, SqlType.INT8, at));
        }
        for (int column : columns) {
            items.add(own.get(column).value(maker.builder().makeInputRef(rows, column), at));
        }
        analysis.collations().requireByBytes(items, at, "SEARCH and CYCLE");
        return conversions.convert(new Expr.Row(items, at), SqlType.TEXT, -1).rex();
    }

    private RexNode array(RexNode row) {
        return call(RecordRows.ARRAY, row);
    }

    private RexNode shape(List<Field> fields) {
        return maker.string(RowShape.ofRows(fields).text(), maker.rel(SqlType.TEXT));
    }

    private RexNode call(FunctionRow function, RexNode... operands) {
        return CatalogFunction.call(maker, function, List.of(operands));
    }

    private RexNode typed(RexNode text, OtherType type) {
        return maker.cast(SqlTypes.relType(maker.factory(), type), text);
    }

    private static RelNode project(RelNode rows, List<RexNode> values) {
        return LogicalProject.create(rows, List.of(), values, (List<String>) null, new HashSet<>());
    }
}
