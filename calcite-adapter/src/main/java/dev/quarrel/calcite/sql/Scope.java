package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Collating;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.DeclaredTable;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexNode;

/// The names that one query can use: those of its own FROM items and those of the queries around it.
final class Scope {
    private final Scope parent;
    private final Link link;
    private final WithQueries withQueries;
    private FromItem from;
    private Select select;
    private boolean isInsideItself;

    /// @param parent the query around this one, or null
    /// @param link how this query stands in an expression of `parent`; null without a parent
    Scope(Scope parent, Link link, WithQueries withQueries) {
        this.parent = parent;
        this.link = link;
        this.withQueries = withQueries;
    }

    /// The link from a sub-query to the query around it, whose row it sees through a correlation variable.
    static final class Link {
        private final CorrelationId id;
        private boolean used;
        private int usedAt = -1;

        Link(CorrelationId id) {
            this.id = id;
        }

        CorrelationId id() {
            return id;
        }

        boolean isUsed() {
            return used;
        }

        void use() {
            used = true;
        }

        /// @param at where in the text
        void use(int at) {
            usedAt = usedAt < 0 ? at : usedAt;
            use();
        }

        /// Where in the text it is used first; -1 where that is unknown.
        int usedAt() {
            return usedAt;
        }
    }

    /// The WITH queries that can be named at some point, inner ones first.
    static final class WithQueries {
        private final WithQueries outer;
        private final Map<String, Rows> queries = new HashMap<>();
        private final Set<String> read = new HashSet<>();

        WithQueries(WithQueries outer) {
            this.outer = outer;
        }

        void put(String name, Rows rows) {
            queries.put(name, rows);
        }

        Rows find(String name) {
            Rows rows = queries.get(name);
            return rows != null || outer == null ? rows : outer.find(name);
        }

        /// Notes that FROM names a query.
        ///
        /// @return whether it is for the first time
        boolean read(String name) {
            return queries.containsKey(name) || outer == null ? read.add(name) : outer.read(name);
        }
    }

    /// A column of a query's result.
    record Column(String name, SqlType type, int typmod, Collating collating) {
        Column {
            collating = collating == null ? Collating.of(type) : collating.ofColumn();
        }

        Column(String name, SqlType type, int typmod) {
            this(name, type, typmod, null);
        }

        static Column of(String name, Expr.Value value) {
            return new Column(name, value.type(), value.typmod(), value.collating());
        }

        Column named(String newName) {
            return new Column(newName, type, typmod, collating);
        }

        /// Its value, where an expression names it.
        Expr.Value value(RexNode rex, int at) {
            return new Expr.Value(rex, type, typmod, at, collating);
        }
    }

    /// The result of a query or of a FROM item: the rel's fields are the columns.
    record Rows(RelNode rel, List<Column> columns) {
        Rows {
            columns = List.copyOf(columns);
        }
    }

    /// A column that can be named.
    ///
    /// @param index of the field in the FROM clause's row; -1 for a column of USING that no field is
    /// @param merged columns that USING made this one: it is the first of them that is not NULL, as this one's
    /// type; none for a field
    /// @param collating of a merged one: that of those it is made of
    record Visible(String name, int index, List<Visible> merged, SqlType type, int typmod, Collating collating) {
        static Visible field(int index, Column column) {
            return new Visible(column.name(), index, List.of(), column.type(), column.typmod(), column.collating());
        }

        static Visible merged(String name, List<Visible> columns, SqlType type, Collating collating) {
            boolean alike = columns.stream().allMatch(each -> each.type() == type);
            int typmod = columns.getFirst().typmod();
            boolean sameTypmod = columns.stream().allMatch(each -> each.typmod() == typmod);
            return new Visible(name, -1, List.copyOf(columns), type, alike && sameTypmod ? typmod : -1, collating);
        }

        Visible named(String newName) {
            return new Visible(newName, index, merged, type, typmod, collating);
        }

        /// Its value, where an expression names it.
        Expr.Value value(RexNode rex, int at) {
            return new Expr.Value(rex, type, typmod, at, collating);
        }

        /// The field that it is, or else that of the first column it is made of.
        int firstIndex() {
            return merged.isEmpty() ? index : merged.getFirst().firstIndex();
        }

        Visible shifted(int fields) {
            return new Visible(
                    name,
                    index < 0 ? -1 : index + fields,
                    merged.stream().map(each -> each.shifted(fields)).toList(),
                    type,
                    typmod,
                    collating);
        }
    }

    /// What a FROM item's row is as a value.
    sealed interface Whole {
        Whole RECORD = new Record();

        /// A row without a type of its own.
        record Record() implements Whole {}

        /// A row of a table, which has a type.
        ///
        /// @param columns the table's names for them, whatever FROM calls them
        /// @param primaryKey those that its primary key is; empty where it has none
        record OfTable(String schema, String table, List<String> columns, List<String> primaryKey) implements Whole {}

        /// A row of the fields of structs in lists. Its one hidden column is the struct itself, which may be had as
        /// its text, or be asked for its fields and theirs.
        ///
        /// @param columns the names that `elements` has for them
        /// @param isScanned whether what is asked for is read where it lies, and not in the text
        record OfElements(DeclaredTable elements, List<String> columns, boolean isScanned) implements Whole {}

        /// The value of a function that gives no rows of columns.
        record Single() implements Whole {}
    }

    /// A table, sub-query or alias of FROM.
    ///
    /// @param schema of a table that has no alias; null for others
    /// @param table the table's own name where an alias hides it, else null
    /// @param catalog whether it is a table of the system catalog, or a query over one
    /// @param row what its row is as a value
    /// @param hidden columns that only their names lead to, as those of a table's files
    record Entry(
            String alias,
            String schema,
            String table,
            boolean catalog,
            List<Visible> columns,
            Whole row,
            List<Visible> hidden) {
        Entry(String alias, String schema, String table, boolean catalog, List<Visible> columns) {
            this(alias, schema, table, catalog, columns, Whole.RECORD, List.of());
        }

        /// For messages: a sub-query without an alias has this name there, and nowhere else.
        String shownAlias() {
            return alias.isEmpty() ? "unnamed_subquery" : alias;
        }

        Entry shifted(int fields) {
            return new Entry(
                    alias,
                    schema,
                    table,
                    catalog,
                    columns.stream().map(each -> each.shifted(fields)).toList(),
                    row,
                    hidden.stream().map(each -> each.shifted(fields)).toList());
        }

        Entry with(Whole newRow, List<Visible> newHidden) {
            return new Entry(alias, schema, table, catalog, columns, newRow, newHidden);
        }
    }

    /// The FROM clause or a part of it.
    ///
    /// @param visible what unqualified names and `*` see, in the order of `*`
    record FromItem(RelNode rel, List<Entry> entries, List<Visible> visible) {
        FromItem {
            entries = List.copyOf(entries);
            visible = List.copyOf(visible);
        }

        FromItem shifted(int fields) {
            return new FromItem(
                    rel,
                    entries.stream().map(each -> each.shifted(fields)).toList(),
                    visible.stream().map(each -> each.shifted(fields)).toList());
        }

        /// @param catalog whether it is a table of `pg_catalog` or `information_schema`
        static FromItem of(
                RelNode rel, String alias, String schema, String table, boolean catalog, List<Column> columns) {
            List<Visible> visible = new ArrayList<>();
            for (int index = 0; index < columns.size(); index++) {
                visible.add(Visible.field(index, columns.get(index)));
            }
            List<Entry> entries =
                    alias == null ? List.of() : List.of(new Entry(alias, schema, table, catalog, visible));
            return new FromItem(rel, entries, visible);
        }

        /// The same with another row as a value.
        FromItem withRow(Whole row) {
            return new FromItem(
                    rel,
                    entries.stream().map(each -> each.with(row, each.hidden())).toList(),
                    visible);
        }

        /// The same with columns behind those of a table that only their names lead to.
        FromItem withHidden(List<Column> columns) {
            if (columns.isEmpty()) {
                return this;
            }
            List<Visible> hidden = new ArrayList<>();
            for (Column column : columns) {
                hidden.add(Visible.field(visible.size() + hidden.size(), column));
            }
            return new FromItem(
                    rel,
                    entries.stream().map(each -> each.with(each.row(), hidden)).toList(),
                    visible);
        }
    }

    Scope parent() {
        return parent;
    }

    Link link() {
        return link;
    }

    WithQueries withQueries() {
        return withQueries;
    }

    FromItem from() {
        return from;
    }

    void setFrom(FromItem newFrom) {
        from = newFrom;
    }

    /// Whether a table of the system catalog is in sight: columns of its that are arrays in PostgreSQL are text
    /// here.
    boolean seesCatalog() {
        for (Scope level = this; level != null; level = level.parent) {
            if (level.from != null && level.from.entries().stream().anyMatch(Entry::catalog)) {
                return true;
            }
        }
        return false;
    }

    /// Notes that FROM names the very query that is being analysed.
    void referToItself() {
        isInsideItself = true;
    }

    /// Whether FROM names the recursive query that it is part of.
    boolean refersToItself() {
        return isInsideItself;
    }

    /// The state of the SELECT whose scope this is.
    Select select() {
        return select;
    }

    /// Where expressions stand; in VALUES without a SELECT.
    Select.Clause clause() {
        return select == null ? Select.Clause.VALUES : select.clause();
    }

    void setSelect(Select newSelect) {
        select = newSelect;
    }

    /// A scope at the same place in the outer queries, for a part of FROM.
    Scope sibling(FromItem part) {
        Scope scope = new Scope(parent, link, withQueries);
        scope.from = part;
        return scope;
    }
}
