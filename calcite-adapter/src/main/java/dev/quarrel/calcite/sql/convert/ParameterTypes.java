package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// The types of one statement's parameters, which the client declares or the first use in an expression decides.
public final class ParameterTypes {
    private final StatementText statement;
    private final List<SqlType> types = new ArrayList<>();

    /// @param declared types the client declares; null entries and missing ones are still to be decided
    public ParameterTypes(StatementText statement, int parameterCount, List<PgType> declared) {
        this.statement = statement;
        for (int index = 0; index < Math.max(parameterCount, declared.size()); index++) {
            PgType type = index < declared.size() ? declared.get(index) : null;
            types.add(type == null || type == PgType.UNKNOWN ? SqlType.UNKNOWN : SqlType.of(type));
        }
    }

    /// UNKNOWN where nothing has decided it yet.
    public SqlType of(int index) {
        return types.get(index);
    }

    /// - Errors: 42P08 if the parameter has another type already.
    void decide(Expr.Parameter parameter, SqlType type) {
        SqlType known = types.get(parameter.index());
        if (known != SqlType.UNKNOWN && known != type) {
            throw statement
                    .error(
                            SqlState.AMBIGUOUS_PARAMETER,
                            parameter.at(),
                            "inconsistent types deduced for parameter $" + (parameter.index() + 1))
                    .withDetail(known.displayName() + " versus " + type.displayName());
        }
        types.set(parameter.index(), type);
    }

    /// - Errors: 42P18 for a parameter whose type nothing has decided.
    public List<PgType> decided() {
        List<PgType> decided = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            if (types.get(index) == SqlType.UNKNOWN) {
                throw new QueryException(
                        SqlState.INDETERMINATE_DATATYPE, "could not determine data type of parameter $" + (index + 1));
            }
            decided.add(types.get(index).pgType());
        }
        return decided;
    }
}
