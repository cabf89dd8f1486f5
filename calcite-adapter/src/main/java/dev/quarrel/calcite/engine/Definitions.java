package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.sql.AnalyzedQuery.OutputColumn;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/// Makes tables: each as one new run of the dataset, whose rows are all there or none.
///
/// - Errors: PostgreSQL's of such statements.
final class Definitions {
    private final Relations relations;
    private final Cancellation cancellation;

    Definitions(Relations relations, Cancellation cancellation) {
        this.relations = relations;
        this.cancellation = cancellation;
    }

    /// CREATE TABLE.
    ///
    /// @param typeOf the type that a text names, as the column of a query
    /// @param checked what a written default is of a column
    String create(
            Statement.CreateTable create,
            Function<String, OutputColumn> typeOf,
            BiFunction<Field, Statement.WrittenDefault, String> checked) {
        Relations.Place place = relations.make(create.name());
        if (isThere(place, create.ifNotExists())) {
            return create.commandTag();
        }
        List<Field> fields = new ArrayList<>();
        List<ColumnDefault> defaults = new ArrayList<>();
        List<Statement.KeyDefinition> written = new ArrayList<>();
        for (Statement.TableElement element : create.elements()) {
            switch (element) {
                case Statement.ColumnDefinition column -> {
                    Field field = field(column, typeOf);
                    fields.add(field);
                    ColumnDefault given = defaultOf(place, column, field, checked);
                    if (given != null) {
                        defaults.add(given);
                    }
                    written.addAll(column.keys());
                }
                case Statement.KeyDefinition key -> written.add(key);
                case Statement.LikeTable like -> likeness(like, place, fields, defaults, written);
            }
        }
        if (fields.isEmpty()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "a table without columns is not supported");
        }
        requireNames(fields);
        List<UniqueKey> keys = new ArrayList<>();
        for (Statement.KeyDefinition key : written) {
            if (key.isPrimary() && keys.stream().anyMatch(UniqueKey::isPrimary)) {
                throw new QueryException(
                        SqlState.INVALID_TABLE_DEFINITION,
                        "multiple primary keys for table \"" + place.name() + "\" are not allowed");
            }
            UniqueKey made = TableKeys.key(relations, place, key, fields, keys);
            boolean isTwice = keys.stream().anyMatch(each -> each.columns().equals(made.columns()));
            if (isTwice && !made.isPrimary() && key.name() == null) {
                continue; // as PostgreSQL does
            }
            keys.add(made);
            if (made.isPrimary()) {
                fields.replaceAll(field -> made.columns().contains(field.name()) ? field.withNullable(false) : field);
            }
        }
        StagedTable rows = empty(place, fields);
        relations.changes().createTable(place.schema(), place.name(), create.ifNotExists(), rows, defaults, keys);
        if (create.dropsAtCommit()) {
            relations.changes().dropAtCommit(place.name());
        }
        return create.commandTag();
    }

    /// Null for none.
    static ColumnDefault defaultOf(
            Relations.Place place,
            Statement.ColumnDefinition column,
            Field field,
            BiFunction<Field, Statement.WrittenDefault, String> checked) {
        if (column.counted() == null) {
            return column.byDefault() == null
                    ? null
                    : new ColumnDefault(column.name(), checked.apply(field, column.byDefault()));
        }
        boolean isWhole = field.type() instanceof DataType.Int16
                || field.type() instanceof DataType.Int32
                || field.type() instanceof DataType.Int64;
        if (!isWhole) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "identity column type must be smallint, integer, or bigint");
        }
        Statement.CountedColumn counted = column.counted();
        return counter(place, column.name(), counted.kind(), counted.start(), counted.increment());
    }

    private static ColumnDefault counter(
            Relations.Place place, String column, Counter.Kind kind, long start, long increment) {
        String sequence = TableKeys.name(place.name(), column, "seq");
        String shown = Identifiers.quoted(sequence);
        if (!place.schema().equals("public") && !place.schema().equals(Catalog.TEMPORARY_SCHEMA)) {
            shown = Identifiers.quoted(place.schema()) + "." + shown;
        }
        return new ColumnDefault(
                column,
                "nextval('" + shown.replace("'", "''") + "'::regclass)",
                new Counter(kind, sequence, DatasetTransaction.newCounterId(), start, increment, start, 0));
    }

    /// What LIKE takes of a table.
    private void likeness(
            Statement.LikeTable like,
            Relations.Place place,
            List<Field> fields,
            List<ColumnDefault> defaults,
            List<Statement.KeyDefinition> written) {
        Table table = columns(like.table(), fields);
        for (ColumnDefault each : table.defaults()) {
            Counter counter = each.counter();
            if (counter == null || counter.kind() == Counter.Kind.SERIAL) {
                if (like.included().contains("defaults")) {
                    defaults.add(each);
                }
            } else if (like.included().contains("identity")) {
                defaults.add(counter(place, each.column(), counter.kind(), counter.start(), counter.increment()));
            }
        }
        if (like.included().contains("indexes")) {
            table.uniqueKeys().stream()
                    .filter(UniqueKey::enforced)
                    .forEach(key -> written.add(new Statement.KeyDefinition(null, key.isPrimary(), key.columns())));
        }
    }

    static Field field(Statement.ColumnDefinition column, Function<String, OutputColumn> typeOf) {
        PgType.Declared declared = declared(typeOf.apply(column.type()));
        requireReal(declared, column.name());
        return new Field(column.name(), held(declared), !column.isNotNull(), declared.text(), declared.other());
    }

    /// The columns of a relation that LIKE names, and the relation.
    private Table columns(List<String> name, List<Field> fields) {
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            Relations.Place place = relations.require(name, "relation", snapshot);
            if (!relations.privileges().maySelect(place.schema(), place.name())) {
                throw new QueryException(
                        SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + place.name());
            }
            Table table = snapshot.table(place.schema(), place.name());
            table.awaitOpen(() -> {});
            if (table.fault() != null) {
                throw table.fault();
            }
            fields.addAll(table.shownSchema().fields());
            return table;
        }
    }

    /// - Errors: 0A000 for a type that no file holds.
    private static DataType held(PgType.Declared declared) {
        DataType type = declared.dataType();
        if (type == null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "columns of type " + declared.text() + " are not supported");
        }
        return type;
    }

    private void make(Relations.Place place, boolean mayBe, boolean dropsAtCommit, StagedTable rows) {
        relations.changes().createTable(place.schema(), place.name(), mayBe, rows);
        if (dropsAtCommit) {
            relations.changes().dropAtCommit(place.name());
        }
    }

    /// A file of no rows.
    private StagedTable empty(Relations.Place place, List<Field> fields) {
        StagedTable staged = relations.changes().stage(place.schema());
        new RowWriting(staged, 1, false, cancellation).empty(new Schema(fields));
        return staged;
    }

    private boolean isThere(Relations.Place place, boolean mayBe) {
        boolean isThere = relations.isThere(place);
        if (isThere && !mayBe) {
            throw Relations.alreadyThere(place);
        }
        if (isThere) {
            relations.notice("42P07", "relation \"" + place.name() + "\" already exists, skipping");
        }
        return isThere;
    }

    private static void requireNames(List<Field> fields) {
        Set<String> names = new HashSet<>();
        for (Field field : fields) {
            if (!names.add(field.name())) {
                throw new QueryException(
                        SqlState.DUPLICATE_COLUMN, "column \"" + field.name() + "\" specified more than once");
            }
        }
    }

    /// CREATE TABLE AS.
    ///
    /// @param planned the query
    /// @param rows starts the query
    String create(Statement.CreateTableAs create, PlannedQuery planned, Supplier<ResultCursor> rows) {
        Relations.Place place = relations.make(create.name());
        if (isThere(place, create.ifNotExists())) {
            return create.commandTag();
        }
        List<Field> fields = fields(planned, create.columns());
        requireNames(fields);
        if (!create.withData()) {
            make(place, create.ifNotExists(), create.dropsAtCommit(), empty(place, fields));
            return create.commandTag();
        }
        StagedTable staged = relations.changes().stage(place.schema());
        long count;
        try (ResultCursor cursor = rows.get()) {
            count = new RowWriting(staged, relations.engine().scheduler().threads(), false, cancellation)
                    .write(cursor, given -> asGiven(fields, given), new Schema(fields));
        }
        make(place, create.ifNotExists(), create.dropsAtCommit(), staged);
        return "SELECT " + count;
    }

    /// The columns of a query's table.
    ///
    /// @param names of the first ones
    private List<Field> fields(PlannedQuery planned, List<String> names) {
        List<OutputColumn> columns = planned.columns();
        if (names.size() > columns.size()) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "too many column names were specified");
        }
        if (columns.isEmpty()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "a table without columns is not supported");
        }
        List<Field> fields = new ArrayList<>();
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            for (int index = 0; index < columns.size(); index++) {
                OutputColumn column = columns.get(index);
                String name = index < names.size() ? names.get(index) : column.name();
                PgType.Declared declared = declared(column);
                requireReal(declared, name);
                DataType type = declared.type() == PgType.NUMERIC && declared.typmod() < 0
                        ? DataType.NUMERIC
                        : planned.plan().types().get(index);
                fields.add(new Field(name, type, true, declared.text(), column.other(), collation(column, snapshot)));
            }
        }
        return fields;
    }

    private static PgType.Declared declared(OutputColumn column) {
        PgType type = column.type() == PgType.UNKNOWN ? PgType.TEXT : column.type();
        return new PgType.Declared(type, column.typmod(), column.other());
    }

    private static void requireReal(PgType.Declared declared, String name) {
        String type = declared.text();
        if (type.equals("record") || type.equals("record[]") || type.equals("void")) {
            throw new QueryException(
                    SqlState.INVALID_TABLE_DEFINITION, "column \"" + name + "\" has pseudo-type " + type);
        }
    }

    private static Collation collation(OutputColumn column, CatalogSnapshot snapshot) {
        if (column.origin() == null) {
            return null;
        }
        Table table = snapshot.table(column.origin().schema(), column.origin().table());
        return table == null
                        || !table.isOpen()
                        || column.origin().number() > table.schema().size()
                ? null
                : table.schema().field(column.origin().number() - 1).collation();
    }

    /// The columns as the rows that have come are held: numerics of very many digits are texts.
    private static Schema asGiven(List<Field> fields, Schema given) {
        List<Field> held = new ArrayList<>();
        for (int index = 0; index < fields.size(); index++) {
            Field field = fields.get(index);
            DataType type = given.type(index);
            boolean isWidened = field.type() instanceof DataType.Numeric && type instanceof DataType.Decimal;
            held.add(
                    isWidened || type.equals(field.type())
                            ? field
                            : new Field(field.name(), type, true, field.pgType(), field.other(), field.collation()));
        }
        return new Schema(held);
    }
}
