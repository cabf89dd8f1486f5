package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.parse.StatementReader;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.apache.calcite.rel.type.RelDataTypeField;

/// The rows of views: those of their queries, whose names are looked up as when they were made, by the privileges of
/// who reads them.
final class ViewRows {
    private final Analysis analysis;

    ViewRows(Analysis analysis) {
        this.analysis = analysis;
    }

    /// - Errors: those of the query, without a place; 42P17 for a view that reads itself, 55000 for one whose query has
    ///   lost a column.
    ///
    /// @param scan the view's
    Rows of(Analysis.TableScan scan, String name) {
        ViewDefinition view = scan.view();
        List<List<String>> views = new ArrayList<>(analysis.views());
        if (views.contains(List.of(scan.schema(), name))) {
            throw new QueryException(
                    SqlState.INVALID_OBJECT_DEFINITION,
                    "infinite recursion detected in rules for relation \"" + name + "\"");
        }
        views.add(List.of(scan.schema(), name));
        try {
            Statement.Query query =
                    (Statement.Query) StatementReader.read(view.sql()).getFirst();
            QueryContext context = analysis.context();
            Analysis inner = new Analysis(
                    query.text(),
                    0,
                    new QueryContext(
                            context.cluster(),
                            context.root(),
                            view.searchPath(),
                            context.database(),
                            List.of(),
                            context.objectIds(),
                            context.moment(),
                            context.collation(),
                            context.privileges(),
                            context.wideNumerics()),
                    analysis.functions(),
                    views);
            Rows rows = new QueryAnalyzer(inner).query(query.node(), new Scope(null, null, null));
            analysis.collations().addUse(inner.collations());
            return named(rows, scan, name);
        } catch (QueryException wrong) {
            throw wrong.withoutPosition();
        }
    }

    /// The columns that the view had when it was made, wherever its query has them now: a `*` may have more.
    private Rows named(Rows rows, Analysis.TableScan scan, String name) {
        List<String> wanted = scan.view().queryColumns();
        List<String> given = rows.columns().stream().map(Column::name).toList();
        List<RelDataTypeField> fields = scan.rowType().getFieldList();
        boolean isSame = given.equals(wanted);
        boolean areDistinct = new HashSet<>(given).size() == given.size();
        if (!isSame && (!areDistinct || !given.containsAll(wanted))) {
            throw new QueryException(
                            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            "the columns that view \"" + name + "\" reads have changed")
                    .withHint("Make it anew with CREATE OR REPLACE VIEW.");
        }
        List<Integer> places = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (int index = 0; index < wanted.size(); index++) {
            int place = isSame ? index : given.indexOf(wanted.get(index));
            places.add(place);
            columns.add(rows.columns().get(place).named(fields.get(index).getName()));
        }
        if (isSame) {
            return new Rows(rows.rel(), columns);
        }
        var builder = analysis.maker().builder();
        return new Rows(
                org.apache.calcite.rel.logical.LogicalProject.create(
                        rows.rel(),
                        List.of(),
                        places.stream()
                                .map(place -> builder.makeInputRef(rows.rel(), place))
                                .toList(),
                        columns.stream().map(Column::name).toList(),
                        java.util.Set.of()),
                columns);
    }
}
