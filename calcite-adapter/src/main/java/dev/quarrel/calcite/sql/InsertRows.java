package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlNode;

/// The rows of an INSERT's query, in the types of the columns that they go into. What has no type takes the column's;
/// texts of a bounded length are not cut: whoever writes them looks.
///
/// - Errors: 42804 for a type that is not assigned to the column's, 42601 for too many values or too few.
/// - Source: PostgreSQL's `transformInsertStmt` and `transformAssignedExpr`.
final class InsertRows {
    private final Analysis analysis;

    InsertRows(Analysis analysis) {
        this.analysis = analysis;
    }

    /// A column that takes values.
    record Target(String name, PgType.Declared declared) {}

    /// @param areListed whether the statement names the columns: then each must get a value
    Rows of(SqlNode query, List<Target> targets, boolean areListed) {
        List<SqlType> wanted = new ArrayList<>();
        targets.forEach(target -> wanted.add(wanted(target)));
        int most = 1664; // more than there are columns are refused below
        while (wanted.size() < most) {
            wanted.add(SqlType.TEXT);
        }
        Rows rows = new QueryAnalyzer(analysis).branch(query, new Scope(null, null, null), wanted);
        int count = rows.columns().size();
        if (count > targets.size()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    QueryAnalyzer.itemAt(query, targets.size()),
                    "INSERT has more expressions than target columns");
        }
        if (areListed && count < targets.size()) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "INSERT has more target columns than expressions");
        }
        List<RexNode> values = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            Column column = rows.columns().get(index);
            int at = QueryAnalyzer.itemAt(query, index);
            Expr.Value value = column.value(analysis.maker().builder().makeInputRef(rows.rel(), index), at);
            Expr.Value assigned = assigned(value, targets.get(index), at);
            values.add(assigned.rex());
            columns.add(Column.of(targets.get(index).name(), assigned));
        }
        List<String> names = columns.stream().map(Column::name).toList();
        return new Rows(LogicalProject.create(rows.rel(), List.of(), values, names, Set.of()), columns);
    }

    private static SqlType wanted(Target target) {
        SqlType type = SqlType.of(target.declared().type());
        return type == SqlType.OTHER ? SqlType.TEXT : type;
    }

    private Expr.Value assigned(Expr.Value value, Target target, int at) {
        PgType.Declared declared = target.declared();
        SqlType type = SqlType.of(declared.type());
        if (type == SqlType.OTHER) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "INSERT into a column of type " + declared.text() + " is not supported");
        }
        if (!value.type().convertsTo(type, SqlType.Context.ASSIGNMENT)) {
            throw analysis.error(
                            SqlState.DATATYPE_MISMATCH,
                            at,
                            "column \"" + target.name() + "\" is of type " + type.displayName()
                                    + " but expression is of type "
                                    + value.type().displayName())
                    .withHint("You will need to rewrite or cast the expression.");
        }
        boolean isBounded = declared.length() >= 0;
        return analysis.conversions().convert(value, type, isBounded || type.isArray() ? -1 : declared.typmod());
    }
}
