package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;

/// Decides which types the polymorphic types of a function stand for in a call.
///
/// - Source: PostgreSQL's `parse_coerce.c` (enforce_generic_type_consistency).
public final class Polymorphic {
    private Polymorphic() {}

    /// The answer to a call: a row of decided types, or why there is none.
    ///
    /// @param row null where no row fits
    /// @param isUndecided whether a row would fit, but no argument tells the type
    /// @param isAmbiguous whether several rows would, of different polymorphic types
    public record Choice(FunctionRow row, boolean isUndecided, boolean isAmbiguous) {}

    /// The function of these that takes arguments of the types.
    public static Choice choose(List<FunctionRow> rows, List<SqlType> given) {
        // Elements of arrays have 38 digits.
        List<SqlType> types = given.contains(SqlType.NUMERIC_ARRAY)
                ? given.stream()
                        .map(type -> type == SqlType.WIDE_NUMERIC ? SqlType.NUMERIC : type)
                        .toList()
                : given;
        int undecided = 0;
        for (FunctionRow row : rows) {
            if (!row.isPolymorphic() || row.arguments().size() != types.size()) {
                continue;
            }
            Decision decision = new Decision();
            for (int index = 0; index < types.size(); index++) {
                decision.take(row.arguments().get(index), types.get(index));
            }
            SqlType element = decision.element();
            if (element != null && element.array() != null) {
                return new Choice(row.of(element.pgType()), false, false);
            }
            undecided += decision.fits && element == null ? 1 : 0;
        }
        return new Choice(null, undecided > 0, undecided > 1);
    }

    /// What the arguments so far say about the type of elements.
    private static final class Decision {
        private boolean fits = true;
        /// What `anyarray` and `anyelement` stand for.
        private SqlType exact;
        /// Those of which `anycompatible` is the common one.
        private final List<SqlType> compatible = new ArrayList<>();

        private boolean isCompatible;

        void take(PgType declared, SqlType given) {
            boolean isArray = declared == PgType.ANYARRAY || declared == PgType.ANYCOMPATIBLEARRAY;
            if (!declared.isPolymorphic()) {
                fits &= given.convertsTo(SqlType.of(declared), SqlType.Context.IMPLICIT);
                return;
            }
            if (declared == PgType.ANYRANGE || declared == PgType.ANYMULTIRANGE) {
                takeRange(given, declared == PgType.ANYMULTIRANGE);
                return;
            }
            isCompatible |= declared == PgType.ANYCOMPATIBLE || declared == PgType.ANYCOMPATIBLEARRAY;
            if (given == SqlType.UNKNOWN) {
                return;
            }
            fits &= isArray == given.isArray() && (isArray || given.array() != null);
            if (!fits) {
                return;
            }
            SqlType element = isArray ? given.element() : given;
            if (isCompatible) {
                compatible.add(element);
            } else {
                fits = exact == null || exact == element;
                exact = element;
            }
        }

        private void takeRange(SqlType given, boolean isMulti) {
            if (given == SqlType.UNKNOWN) {
                return;
            }
            SqlType of = given.rangeOf();
            fits &= of != null
                    && given.pgType()
                            == (isMulti ? of.pgType().multirange() : of.pgType().range())
                    && (exact == null || exact == of);
            exact = fits ? of : exact;
        }

        /// Null where nothing fits, or nothing tells.
        SqlType element() {
            if (!fits) {
                return null;
            }
            return isCompatible ? CommonType.of(compatible) : exact;
        }
    }
}
