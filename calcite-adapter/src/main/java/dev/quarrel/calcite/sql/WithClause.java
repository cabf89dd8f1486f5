package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresWithItem;
import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.calcite.rel.QuarrelWorkingTable;
import dev.quarrel.calcite.rel.WithRows;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSetOperator;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;

/// Analyses a WITH clause: its queries, in an order in which each sees those that it names.
///
/// - Source: PostgreSQL's transformWithClause in `parse_cte.c`.
final class WithClause {
    private final Analysis analysis;
    private final QueryAnalyzer queries;
    private final RexMaker maker;

    WithClause(Analysis analysis, QueryAnalyzer queries) {
        this.analysis = analysis;
        this.queries = queries;
        this.maker = analysis.maker();
    }

    /// The scope in which the query behind the clause stands.
    ///
    /// @param scope the one in which the clause stands
    Scope analyze(SqlWith with, Scope scope) {
        requireNamesApart(with);
        Scope.WithQueries known = new Scope.WithQueries(scope.withQueries());
        Scope inner = new Scope(scope.parent(), scope.link(), known);
        if (isRecursive(with)) {
            RecursiveQueries recursive = new RecursiveQueries(analysis, with);
            for (SqlWithItem item : recursive.inOrder()) {
                known.put(
                        item.name.getSimple(),
                        recursive.isRecursive(item) ? recursion(item, inner, known) : plain(item, inner));
            }
        } else {
            for (SqlNode node : with.withList) {
                SqlWithItem item = (SqlWithItem) node;
                known.put(item.name.getSimple(), plain(item, inner));
            }
        }
        return inner;
    }

    private static boolean isRecursive(SqlWith with) {
        return ((SqlWithItem) with.withList.get(0)).recursive.booleanValue();
    }

    private void requireNamesApart(SqlWith with) {
        Set<String> names = new HashSet<>();
        for (SqlNode node : with.withList) {
            SqlIdentifier name = ((SqlWithItem) node).name;
            if (!names.add(name.getSimple())) {
                throw analysis.error(
                        SqlState.DUPLICATE_ALIAS,
                        Positions.start(name),
                        "WITH query name \"" + name.getSimple() + "\" specified more than once");
            }
        }
    }

    private Rows plain(SqlWithItem item, Scope scope) {
        Rows rows = queries.query(item.query, new Scope(scope.parent(), scope.link(), scope.withQueries()));
        if (RowPaths.isWanted(item)) {
            throw analysis.error(SqlState.SYNTAX_ERROR, Positions.start(item.name), "WITH query is not recursive");
        }
        WithRows.Query query = new WithRows.Query(item.name.getSimple(), ((PostgresWithItem) item).materialized());
        return new Rows(WithRows.of(rows.rel(), query), named(item, rows.columns()));
    }

    private List<Column> named(SqlWithItem item, List<Column> columns) {
        SqlNodeList names = item.columnList == null ? SqlNodeList.EMPTY : item.columnList;
        if (names.size() > columns.size()) {
            throw analysis.error(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    Positions.start(item.name),
                    "WITH query \"" + item.name.getSimple() + "\" has " + columns.size() + " columns available but "
                            + names.size() + " columns specified");
        }
        List<Column> named = new ArrayList<>(columns);
        for (int index = 0; index < names.size(); index++) {
            Column column = columns.get(index);
            named.set(index, column.named(((SqlIdentifier) names.get(index)).getSimple()));
        }
        return named;
    }

    /// The first term alone says what the columns are; the second one sees them as a table's.
    private Rows recursion(SqlWithItem item, Scope scope, Scope.WithQueries known) {
        Scope inner = scope;
        SqlNode body = item.query;
        while (body instanceof SqlWith with) {
            inner = analyze(with, inner);
            body = with.body;
        }
        SqlCall union = (SqlCall) body;
        Rows seed = queries.branch(union.operand(0), inner, null);
        List<Column> columns =
                named(item, seed.columns().stream().map(WithClause::decided).toList());
        RowPaths paths =
                RowPaths.isWanted(item) ? new RowPaths(analysis, (PostgresWithItem) item, columns, inner, union) : null;
        RelDataType own = rowType(seed, columns);
        RelDataType rowType = paths == null ? own : paths.rowType(own);
        Object identity = new Object();
        RelTraitSet traits = analysis.context().cluster().traitSetOf(Convention.NONE);
        RelNode working = new QuarrelWorkingTable(analysis.context().cluster(), traits, rowType, identity);
        known.put(item.name.getSimple(), new Rows(working, columns));
        QueryAnalyzer.Branches branches = paths == null
                ? queries.branches(union, inner, seed, 0)
                : queries.branches(paths.widened(union), inner, seed, paths.count());
        for (int index = 0; index < columns.size(); index++) {
            requireSame(item, index, columns.get(index), branches.columns().get(index), union);
        }
        boolean isAll = ((SqlSetOperator) union.getOperator()).isAll();
        RelNode left = held(branches.left(), own);
        RelNode right = held(branches.right(), rowType);
        RelNode rel = new QuarrelRecursion(
                analysis.context().cluster(),
                traits,
                paths == null ? left : held(paths.first(left), rowType),
                paths == null ? right : held(paths.next(right), rowType),
                rowType,
                identity,
                !isAll);
        return new Rows(rel, paths == null ? columns : paths.columns());
    }

    private static Column decided(Column column) {
        return column.type() == SqlType.UNKNOWN ? new Column(column.name(), SqlType.TEXT, -1) : column;
    }

    private RelDataType rowType(Rows seed, List<Column> columns) {
        var rowType = maker.factory().builder();
        for (int index = 0; index < columns.size(); index++) {
            Column column = columns.get(index);
            RelDataType type = column.type() == SqlType.OTHER
                    ? seed.rel().getRowType().getFieldList().get(index).getType()
                    : maker.rel(column.type(), column.typmod());
            rowType.add(Integer.toString(index), maker.nullable(type, true));
        }
        return rowType.build();
    }

    private void requireSame(SqlWithItem item, int index, Column first, Column overall, SqlCall union) {
        if (first.type() == overall.type() && first.typmod() == overall.typmod()) {
            return;
        }
        throw analysis.error(
                        SqlState.DATATYPE_MISMATCH,
                        QueryAnalyzer.itemAt(union.operand(0), index),
                        "recursive query \"" + item.name.getSimple() + "\" column " + (index + 1) + " has type "
                                + PgType.format(first.type().pgType(), first.typmod())
                                + " in non-recursive term but type "
                                + PgType.format(overall.type().pgType(), overall.typmod()) + " overall")
                .withHint("Cast the output of the non-recursive term to the correct type.");
    }

    /// The rows in the types that the working table has.
    private RelNode held(RelNode rel, RelDataType rowType) {
        List<RexNode> columns = new ArrayList<>();
        boolean same = true;
        for (RelDataTypeField field : rowType.getFieldList()) {
            RexNode column = maker.builder().makeInputRef(rel, field.getIndex());
            boolean isHeld = maker.nullable(column.getType(), true).equals(field.getType());
            same &= isHeld;
            columns.add(isHeld ? column : maker.builder().makeAbstractCast(field.getType(), column, false));
        }
        return same ? rel : LogicalProject.create(rel, List.of(), columns, rowType.getFieldNames(), Set.of());
    }
}
