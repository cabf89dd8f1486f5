package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.OtherType;
import java.util.List;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;

/// An analysed expression: a value with a type, or something that its context must still turn into one.
///
/// `at` is the Java string index in the text where PostgreSQL would point.
public sealed interface Expr {
    int NO_TYPMOD = -1;

    SqlType type();

    int at();

    /// A value of a known type.
    ///
    /// @param type PostgreSQL's type; the RexNode's own may be another one that is held alike (varchar(10) as text)
    /// @param collating null for what the type has unless more is said
    record Value(RexNode rex, SqlType type, int typmod, int at, Collating collating) implements Expr {
        public Value {
            collating = collating == null ? Collating.of(type) : collating;
        }

        public Value(RexNode rex, SqlType type, int typmod, int at) {
            this(rex, type, typmod, at, null);
        }

        public Value(RexNode rex, SqlType type, int at) {
            this(rex, type, NO_TYPMOD, at);
        }

        public static Value bool(RexNode rex, int at) {
            return new Value(rex, SqlType.BOOL, at);
        }

        public Value at(int newAt) {
            return new Value(rex, type, typmod, newAt, collating);
        }

        public Value with(Collating newCollating) {
            return new Value(rex, type, typmod, at, newCollating);
        }

        /// The same value as another expression of this type and collation.
        public Value with(RexNode newRex) {
            return new Value(newRex, type, typmod, at, collating);
        }
    }

    /// A string literal without a type.
    record Text(String text, int at, Collating collating) implements Expr {
        public Text(String text, int at) {
            this(text, at, Collating.STANDARD);
        }

        @Override
        public SqlType type() {
            return SqlType.UNKNOWN;
        }
    }

    /// NULL without a type.
    record Null(int at) implements Expr {
        @Override
        public SqlType type() {
            return SqlType.UNKNOWN;
        }
    }

    /// A parameter whose type is not decided yet.
    record Parameter(int index, int at) implements Expr {
        @Override
        public SqlType type() {
            return SqlType.UNKNOWN;
        }
    }

    /// A row.
    ///
    /// @param names of the fields; none for `ROW(…)`, whose are f1, f2, …
    /// @param typeNames what the row's type calls them, whatever FROM does
    /// @param of the row's type: that of a table, or record
    /// @param isWhole whether it is the row of a FROM item, not one that is written out
    /// @param mayBeMissing whether there may be no row, in an outer join, where all fields are NULL
    record Row(
            List<Expr> items,
            List<String> names,
            List<String> typeNames,
            OtherType of,
            boolean isWhole,
            boolean mayBeMissing,
            int at)
            implements Expr {
        public Row(List<Expr> items, int at) {
            this(items, List.of(), List.of(), OtherType.RECORD, false, false, at);
        }

        /// A row of a type that has names for its fields.
        public Row(List<Expr> items, List<String> names, OtherType of, boolean mayBeMissing, int at) {
            this(items, names, names, of, false, mayBeMissing, at);
        }

        public Row at(int newAt) {
            return new Row(items, names, typeNames, of, isWhole, mayBeMissing, newAt);
        }

        /// The field of a name; null where there is none.
        public Expr field(String name) {
            for (int index = 0; index < items.size(); index++) {
                if (name.equals(name(index))) {
                    return items.get(index);
                }
            }
            return null;
        }

        /// The name of a field.
        public String name(int index) {
            return index < names.size() ? names.get(index) : "f" + (index + 1);
        }

        public String typeName(int index) {
            return index < typeNames.size() ? typeNames.get(index) : "f" + (index + 1);
        }

        /// Whether it is NULL itself, of a type.
        public boolean isNull() {
            return mayBeMissing
                    && items.stream()
                            .allMatch(item -> item instanceof Value value && RexLiteral.isNullLiteral(value.rex()));
        }

        @Override
        public SqlType type() {
            return SqlType.RECORD;
        }
    }

    /// An array that the statement spells out.
    ///
    /// @param element what its items have been cast to, or null
    record Array(List<Expr> items, SqlType element, int at) implements Expr {
        public Array(List<Expr> items, int at) {
            this(items, null, at);
        }

        @Override
        public SqlType type() {
            return SqlType.ARRAY;
        }
    }
}
