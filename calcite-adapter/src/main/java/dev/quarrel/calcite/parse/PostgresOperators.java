package dev.quarrel.calcite.parse;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlPrefixOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;

/// Operators of the syntax tree that Calcite's grammar lacks or gives another precedence. They have no types:
/// the analyzer decides those.
///
/// - Source: PostgreSQL documentation, "Operator Precedence"; Calcite's numbers: `+` 40, `*` 60, LIKE 32, `::`
///   94, unary minus 80.
public final class PostgresOperators {
    private static final int OTHER_PRECEDENCE = 36;
    private static final int PREFIX_PRECEDENCE = 38;
    private static final int POWER_PRECEDENCE = 70;
    private static final Map<String, SqlBinaryOperator> BINARY = new ConcurrentHashMap<>();

    public static final SqlBinaryOperator COLLATE = operator("COLLATE", 92);
    public static final SqlBinaryOperator AT_TIME_ZONE = operator("AT TIME ZONE", 88);

    /// What AT LOCAL has in place of a zone.
    public enum SessionZone {
        LOCAL
    }

    /// `type 'literal'`: operands are the type and the string.
    public static final SqlSpecialOperator TYPED_LITERAL = new SqlSpecialOperator("TYPED_LITERAL", SqlKind.OTHER) {
        @Override
        public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
            call.operand(0).unparse(writer, 0, 0);
            call.operand(1).unparse(writer, 0, 0);
        }
    };

    /// A number that is numeric though it has no digits behind a point, such as `1e3`: the operand is its text.
    public static final SqlSpecialOperator NUMERIC_LITERAL = new SqlSpecialOperator("NUMERIC_LITERAL", SqlKind.OTHER) {
        @Override
        public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
            call.operand(0).unparse(writer, 0, 0);
        }
    };

    private PostgresOperators() {}

    /// The operator written `symbol`, also in `OPERATOR(schema.symbol)`.
    public static SqlBinaryOperator binary(String symbol) {
        SqlBinaryOperator known = BINARY.get(symbol);
        if (known != null) {
            return known;
        }
        // Not kept: the symbols of a text are the sender's, so a table of them would have no bound.
        return operator(symbol, symbol.equals("^") ? POWER_PRECEDENCE : OTHER_PRECEDENCE);
    }

    /// The operator `symbol` before its operand. `@ a + b` is `@ (a + b)`, but `~ a & b` is `(~ a) & b`.
    public static SqlPrefixOperator prefix(String symbol) {
        return new SqlPrefixOperator(symbol, SqlKind.OTHER, PREFIX_PRECEDENCE, null, null, null);
    }

    static {
        for (String symbol :
                new String[] {"||", "~", "~*", "!~", "!~*", "~~", "~~*", "!~~", "!~~*", "^", "&", "|", "#"}) {
            BINARY.put(symbol, binary(symbol));
        }
    }

    private static SqlBinaryOperator operator(String symbol, int precedence) {
        return new SqlBinaryOperator(symbol, SqlKind.OTHER, precedence, true, null, null, null);
    }
}
