package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.sql.AnalyzedQuery;
import dev.quarrel.calcite.sql.AnalyzedQuery.OutputColumn;
import dev.quarrel.core.arrow.dataset.NamedView;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Makes views, and says something of relations.
///
/// - Errors: PostgreSQL's of such statements.
final class Views {
    private final Relations relations;

    Views(Relations relations) {
        this.relations = relations;
    }

    /// CREATE VIEW.
    String create(Statement.CreateView create, AnalyzedQuery analyzed) {
        boolean readsTemporary =
                analyzed.relations().stream().anyMatch(read -> read.getFirst().equals(Catalog.TEMPORARY_SCHEMA));
        Relations.Place place = place(create, readsTemporary);
        List<Field> fields = fields(create, analyzed);
        NamedView before = existing(place, create.orReplace());
        if (before != null) {
            requireSameColumns(before, fields);
        }
        ViewDefinition view = new ViewDefinition(
                create.query().sql(),
                analyzed.columns().stream().map(OutputColumn::name).toList(),
                relations.searchPath().stream()
                        .filter(schema -> readsTemporary || !schema.equals(Catalog.TEMPORARY_SCHEMA))
                        .toList(),
                analyzed.relations());
        requireNoCycle(place, view);
        relations.changes().createView(new NamedView(place.schema(), place.name(), fields, view), create.orReplace());
        return create.commandTag();
    }

    /// A view of temporary tables is temporary itself.
    private Relations.Place place(Statement.CreateView create, boolean readsTemporary) {
        List<String> name = create.name();
        boolean isTemporary = name.size() > 1 && name.get(name.size() - 2).equals(Catalog.TEMPORARY_SCHEMA);
        if (!readsTemporary || isTemporary) {
            return relations.make(name);
        }
        relations.notice("00000", "view \"" + name.getLast() + "\" will be a temporary view");
        if (name.size() > 1) {
            throw new QueryException(
                    SqlState.INVALID_TABLE_DEFINITION, "cannot create temporary relation in non-temporary schema");
        }
        return relations.make(List.of(Catalog.TEMPORARY_SCHEMA, name.getLast()));
    }

    private List<Field> fields(Statement.CreateView create, AnalyzedQuery analyzed) {
        List<OutputColumn> columns = analyzed.columns();
        if (create.columns().size() > columns.size()) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "CREATE VIEW specifies more column names than columns");
        }
        if (columns.isEmpty()) {
            throw new QueryException(SqlState.INVALID_TABLE_DEFINITION, "view must have at least one column");
        }
        List<Field> fields = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int index = 0; index < columns.size(); index++) {
            OutputColumn column = columns.get(index);
            String name = index < create.columns().size() ? create.columns().get(index) : column.name();
            if (!names.add(name)) {
                throw new QueryException(SqlState.DUPLICATE_COLUMN, "column \"" + name + "\" specified more than once");
            }
            PgType type = column.type() == PgType.UNKNOWN ? PgType.TEXT : column.type();
            PgType.Declared declared = new PgType.Declared(type, column.typmod(), column.other());
            fields.add(new Field(name, declared.dataType(), true, declared.text(), column.other()));
        }
        return fields;
    }

    /// The view that is replaced; null for a new one.
    private NamedView existing(Relations.Place place, boolean orReplace) {
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            Table table = snapshot.table(place.schema(), place.name());
            if (table == null) {
                return null;
            }
            if (!orReplace) {
                throw Relations.alreadyThere(place);
            }
            if (table instanceof NamedView view) {
                return view;
            }
            throw new QueryException(SqlState.WRONG_OBJECT_TYPE, "\"" + place.name() + "\" is not a view");
        }
    }

    private static void requireSameColumns(NamedView before, List<Field> fields) {
        if (fields.size() < before.fields().size()) {
            throw new QueryException(SqlState.INVALID_TABLE_DEFINITION, "cannot drop columns from view");
        }
        for (int index = 0; index < before.fields().size(); index++) {
            Field old = before.fields().get(index);
            Field field = fields.get(index);
            if (!old.name().equals(field.name())) {
                throw new QueryException(
                                SqlState.INVALID_TABLE_DEFINITION,
                                "cannot change name of view column \"" + old.name() + "\" to \"" + field.name() + "\"")
                        .withHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.");
            }
            if (!String.valueOf(old.pgType()).equals(String.valueOf(field.pgType()))) {
                throw new QueryException(
                        SqlState.INVALID_TABLE_DEFINITION,
                        "cannot change data type of view column \"" + old.name() + "\" from " + old.pgType() + " to "
                                + field.pgType());
            }
        }
    }

    /// - Errors: 42P17 where the view would read itself, by whatever way.
    private void requireNoCycle(Relations.Place place, ViewDefinition view) {
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            Set<List<String>> seen = new HashSet<>();
            List<List<String>> open = new ArrayList<>(view.relations());
            while (!open.isEmpty()) {
                List<String> next = open.removeLast();
                if (next.equals(List.of(place.schema(), place.name()))) {
                    throw new QueryException(
                            SqlState.INVALID_OBJECT_DEFINITION,
                            "infinite recursion detected in rules for relation \"" + place.name() + "\"");
                }
                Table table = seen.add(next) ? snapshot.table(next.getFirst(), next.getLast()) : null;
                if (table != null && table.view() != null) {
                    open.addAll(table.view().relations());
                }
            }
        }
    }

    /// COMMENT ON.
    String comment(Statement.Comment comment) {
        String name = comment.name().getLast();
        Relations.Place place;
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            place = relations.require(comment.name(), "relation", snapshot);
            Table table = snapshot.table(place.schema(), place.name());
            table.awaitOpen(() -> {});
            String kind = Relations.kind(table);
            if (comment.column() == null && !kind.equals(comment.kind())) {
                String article = comment.kind().startsWith("foreign") ? "a foreign table" : "a " + comment.kind();
                throw new QueryException(SqlState.WRONG_OBJECT_TYPE, "\"" + name + "\" is not " + article);
            }
            if (!relations.privileges().mayCreateIn(place.schema())) {
                throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of " + kind + " " + name);
            }
            if (place.schema().equals(Catalog.TEMPORARY_SCHEMA)) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "a comment on a temporary table is not supported");
            }
            requireColumn(comment, table);
        }
        relations.changes().comment(place.schema(), place.name(), comment.column(), comment.comment());
        return comment.commandTag();
    }

    private static void requireColumn(Statement.Comment comment, Table table) {
        if (comment.column() == null || table.fault() != null) {
            return;
        }
        Schema schema = table.shownSchema();
        if (schema.indexOf(comment.column()) < 0) {
            throw new QueryException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \"" + comment.column() + "\" of relation \"" + table.name() + "\" does not exist");
        }
    }
}
