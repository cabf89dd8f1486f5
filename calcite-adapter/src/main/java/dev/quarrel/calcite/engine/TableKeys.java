package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Makes keys of what PRIMARY KEY and UNIQUE say.
///
/// - Source: PostgreSQL 18's `ChooseIndexName` and `makeObjectName` for names.
final class TableKeys {
    private static final int MOST_NAME_BYTES = 63;

    // Those of which equal values have the same bytes.
    private static final Set<PgType> BY_BYTES = Set.of(
            PgType.BOOL,
            PgType.INT2,
            PgType.INT4,
            PgType.INT8,
            PgType.OID,
            PgType.DATE,
            PgType.TIME,
            PgType.TIMESTAMP,
            PgType.TIMESTAMPTZ,
            PgType.TEXT,
            PgType.VARCHAR,
            PgType.BPCHAR,
            PgType.NAME,
            PgType.UUID,
            PgType.BYTEA);

    private TableKeys() {}

    /// - Errors: 42703 for a column that is none, 42701 for one that comes twice, 0A000 for one of another type.
    ///
    /// @param others of the table, whose names are taken
    static UniqueKey key(
            Relations relations,
            Relations.Place table,
            Statement.KeyDefinition written,
            List<Field> fields,
            List<UniqueKey> others) {
        Schema schema = new Schema(fields);
        Set<String> seen = new HashSet<>();
        for (String column : written.columns()) {
            int index = schema.indexOf(column);
            if (index < 0) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN, "column \"" + column + "\" named in key does not exist");
            }
            if (!seen.add(column)) {
                String constraint = written.isPrimary() ? "primary key" : "unique";
                throw new QueryException(
                        SqlState.DUPLICATE_COLUMN,
                        "column \"" + column + "\" appears twice in " + constraint + " constraint");
            }
            requireByBytes(fields.get(index));
        }
        UniqueKey.Kind kind = written.isPrimary() ? UniqueKey.Kind.PRIMARY : UniqueKey.Kind.CONSTRAINT;
        String name = written.name() != null
                ? written.name()
                : written.isPrimary()
                        ? freeName(relations, table, null, "pkey", others)
                        : freeName(relations, table, String.join("_", written.columns()), "key", others);
        if (others.stream().anyMatch(each -> each.name().equals(name))) {
            throw new QueryException(SqlState.DUPLICATE_TABLE, "relation \"" + name + "\" already exists");
        }
        return new UniqueKey(name, kind, written.columns(), true, true);
    }

    /// A key of a unique index.
    ///
    /// @param name null where none is given
    static UniqueKey index(
            Relations relations, Relations.Place table, String name, List<String> columns, List<Field> fields) {
        Schema schema = new Schema(fields);
        for (String column : columns) {
            if (schema.indexOf(column) < 0) {
                throw new QueryException(SqlState.UNDEFINED_COLUMN, "column \"" + column + "\" does not exist");
            }
            requireByBytes(schema.field(schema.indexOf(column)));
        }
        if (new HashSet<>(columns).size() < columns.size()) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "a unique index with a column twice is not supported");
        }
        String own = name != null ? name : freeName(relations, table, String.join("_", columns), "idx", List.of());
        return new UniqueKey(own, UniqueKey.Kind.INDEX, columns, true, true);
    }

    private static void requireByBytes(Field field) {
        PgType.Declared declared = PgType.Declared.of(field);
        boolean isFixed =
                declared.type() == PgType.NUMERIC && field.type() instanceof dev.quarrel.core.type.DataType.Decimal;
        boolean isEnum = declared.other() != null && declared.other().isEnum();
        if (!isFixed && !isEnum && (declared.other() != null || !BY_BYTES.contains(declared.type()))) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "a key with column \"" + field.name() + "\" of type " + declared.text() + " is not supported");
        }
    }

    private static String freeName(
            Relations relations, Relations.Place table, String columns, String label, List<UniqueKey> others) {
        for (int number = 0; ; number++) {
            String name = name(table.name(), columns, number == 0 ? label : label + number);
            boolean isTaken = others.stream().anyMatch(each -> each.name().equals(name))
                    || relations.changes().isIndex(table.schema(), name)
                    || relations.changes().isThere(table.schema(), name);
            if (!isTaken) {
                return name;
            }
        }
    }

    /// `table_columns_label`, whose first two parts are cut as PostgreSQL cuts them.
    ///
    /// @param columns null for none
    static String name(String table, String columns, String label) {
        String first = table;
        String second = columns;
        int over = bytes(label) + 1 + (second == null ? 0 : 1);
        while (bytes(first) + (second == null ? 0 : bytes(second)) + over > MOST_NAME_BYTES) {
            if (second == null || bytes(first) > bytes(second)) {
                first = first.substring(0, first.length() - 1);
            } else {
                second = second.substring(0, second.length() - 1);
            }
        }
        return first + "_" + (second == null ? "" : second + "_") + label;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
