package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// Changes what a dataset knows of tables and views beside their rows. Each change is seen whole or not at all.
///
/// - Threads: share it freely; one at a time changes something.
public final class DatasetChanges {
    private final DatasetCatalog catalog;

    DatasetChanges(DatasetCatalog catalog) {
        this.catalog = catalog;
    }

    /// Makes a view, or another one of its name.
    ///
    /// - Errors: `QueryException` 42P07 for a name that a table has, or a view unless it is replaced.
    public void createView(NamedView view, boolean orReplace) {
        catalog.change(root -> {
            NamedTables names = NamedTables.read(root);
            boolean isView = names.view(view.schemaName(), view.name()) != null;
            if (isView ? !orReplace : catalog.isThere(view.schemaName(), view.name())) {
                throw new QueryException(SqlState.DUPLICATE_TABLE, "relation \"" + view.name() + "\" already exists");
            }
            names.with(view).write(root);
        });
    }

    /// Forgets views, and what is said of them.
    ///
    /// @param views each as schema and name
    public void dropViews(Set<List<String>> views) {
        catalog.change(root -> NamedTables.read(root).withoutViews(views).write(root));
    }

    /// Takes tables out of the dataset, as one run. Who reads them keeps their files until he is done.
    ///
    /// - Errors: `QueryException` 42P01 for one that is not there any more.
    ///
    /// @param tables each as schema and name
    /// @param check run from time to time while another run writes; what it throws ends the waiting
    public void dropTables(Set<List<String>> tables, Runnable check) {
        Path root = catalog.root();
        try (DatasetWriter run = DatasetWriter.await(root, DatasetWriter.Mode.APPEND, "SQL", check)) {
            for (List<String> table : tables) {
                if (run.before(table.getFirst(), table.getLast()) == null) {
                    throw new QueryException(
                            SqlState.UNDEFINED_TABLE, "table \"" + table.getLast() + "\" does not exist");
                }
                run.drop(table.getFirst(), table.getLast());
            }
            run.commit(null, null);
        }
        tables.forEach(table -> forgetComments(table.getFirst(), table.getLast()));
    }

    /// Says something of a relation, or of a column.
    ///
    /// @param column null for the relation itself
    /// @param text null to take back what was said
    public void comment(String schemaName, String relation, String column, String text) {
        catalog.change(root -> {
            NamedTables names = NamedTables.read(root);
            List<RelationComment> comments = new ArrayList<>(names.comments());
            comments.removeIf(each -> each.isOf(schemaName, relation) && Objects.equals(each.column(), column));
            if (text != null) {
                comments.add(new RelationComment(schemaName, relation, column, text));
            }
            names.withComments(comments).write(root);
        });
    }

    /// Takes back what was said of a relation that is not there any more.
    public void forgetComments(String schemaName, String relation) {
        catalog.change(root -> {
            NamedTables names = NamedTables.read(root);
            List<RelationComment> comments = new ArrayList<>(names.comments());
            if (comments.removeIf(each -> each.isOf(schemaName, relation))) {
                names.withComments(comments).write(root);
            }
        });
    }
}
