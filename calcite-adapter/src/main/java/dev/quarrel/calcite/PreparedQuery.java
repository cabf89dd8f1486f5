package dev.quarrel.calcite;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.OtherType;
import java.util.List;

/// A planned statement, which can run any number of times with different parameters while its session is open.
/// It is replanned automatically when the catalog has changed; if its columns changed too, executing it raises
/// error 0A000, as in PostgreSQL.
public interface PreparedQuery {
    ParsedStatement statement();

    /// The type of each parameter, by number.
    List<PgType> parameterTypes();

    /// The columns of its rows; empty for a statement that has none ([#returnsRows] tells it from a query of no
    /// columns).
    List<ResultColumn> columns();

    boolean returnsRows();

    /// How its rows are written, for COPY … TO STDOUT; null for all other statements. Its execution has rows, and
    /// `columns` tells of them, though clients get no result of it.
    CopyOptions copy();

    /// Whether it is a COPY … FROM STDIN, which [SqlSession#copyFrom] executes.
    default boolean readsInput() {
        return false;
    }

    /// Whether it changes tables or what is known of them.
    default boolean changesTables() {
        return false;
    }

    /// A column of a result.
    ///
    /// @param typmod `pg_attribute.atttypmod`'s meaning, -1 for none
    /// @param other which type it is where `type` is OTHER; otherwise null
    /// @param origin the table's column that it is; null where it is none
    record ResultColumn(String name, PgType type, int typmod, OtherType other, ColumnOrigin origin) {
        public ResultColumn(String name, PgType type, int typmod) {
            this(name, type, typmod, null, null);
        }

        public PgType.Declared declared() {
            return new PgType.Declared(type, typmod, other);
        }
    }
}
