package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.Collation;

/// The collation of an expression, and how it came by it.
///
/// - Source: PostgreSQL's `parse_collate.c`.
public sealed interface Collating {
    /// A type without collations, such as integer.
    Collating NONE = new None();

    /// The database's default: of literals, and of texts made of values without collations.
    Collating STANDARD = new Known(Collation.DEFAULT, false, -1);

    Collating C = new Known(Collation.C, false, -1);

    record None() implements Collating {}

    /// A column of a sub-query that has none because its parts disagreed.
    record Lost() implements Collating {}

    /// @param isExplicit whether COLLATE says it of this expression or one in it
    /// @param at where COLLATE stands, or the expression; -1 for where the expression at hand stands
    record Known(Collation collation, boolean isExplicit, int at) implements Collating {}

    /// Two columns of different collations in one expression.
    ///
    /// @param at of the second one
    record Conflict(Collation one, Collation other, int at) implements Collating {}

    /// What a type's values have if nothing else is said.
    static Collating of(SqlType type) {
        SqlType single = type.isArray() ? type.element() : type;
        return switch (single) {
            case TEXT, VARCHAR, BPCHAR -> STANDARD;
            case NAME -> C;
            default -> NONE;
        };
    }

    /// As a query around it sees the column: COLLATE within a sub-query does not reach out of it.
    default Collating ofColumn() {
        return switch (this) {
            case Known known -> known.isExplicit() ? new Known(known.collation(), false, -1) : known;
            case Conflict _ -> new Lost();
            case None _, Lost _ -> this;
        };
    }
}
