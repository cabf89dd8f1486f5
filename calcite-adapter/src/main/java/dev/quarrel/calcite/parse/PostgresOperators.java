package dev.quarrel.calcite.parse;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlPrefixOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Operators of the syntax tree that Calcite's grammar lacks or gives another precedence. They have no types:
/// the analyzer decides those.
///
/// - Source: PostgreSQL documentation, "Operator Precedence"; Calcite's numbers: `+` 40, `*` 60, LIKE 32, `::`
///   94, unary minus 80.
public final class PostgresOperators {
    private static final int OTHER_PRECEDENCE = 36;
    private static final int PREFIX_PRECEDENCE = 38;
    /// Before an argument that is an array of arguments; it takes all of the expression.
    public static final String VARIADIC = "variadic";
    /// Between a text and the name of a form.
    public static final String IS_NORMALIZED = "IS NORMALIZED";
    public static final String IS_NOT_NORMALIZED = "IS NOT NORMALIZED";
    /// Above that of IS TRUE, which would take their right operands, texts, for its own.
    private static final int IS_PRECEDENCE = 30;
    private static final int IN_PRECEDENCE = 32;
    private static final int POWER_PRECEDENCE = 70;
    private static final Map<String, SqlBinaryOperator> BINARY = new ConcurrentHashMap<>();

    public static final SqlBinaryOperator COLLATE = operator("COLLATE", 92);
    public static final SqlBinaryOperator AT_TIME_ZONE = operator("AT TIME ZONE", 88);

    /// AT TIME ZONE of a `timestamp`, for a step of time: one that begins at a time that clocks skip begins when they
    /// do. No statement can write it.
    public static final SqlBinaryOperator SHOWN_AT_TIME_ZONE = operator("SHOWN AT TIME ZONE", 88);

    /// `value IS JSON …`: the right operand is a text that says what of JSON, and whether keys are unique.
    public static final SqlBinaryOperator IS_JSON = operator("IS JSON", IS_PRECEDENCE);
    public static final SqlBinaryOperator IS_NOT_JSON = operator("IS NOT JSON", IS_PRECEDENCE);

    /// What AT LOCAL has in place of a zone.
    public enum SessionZone {
        LOCAL
    }

    /// `(row).*`: all fields of a row.
    public static final SqlSpecialOperator FIELDS = new SqlSpecialOperator("FIELDS", SqlKind.OTHER);

    /// `ONLY table`.
    public static final SqlSpecialOperator ONLY = new SqlSpecialOperator("ONLY", SqlKind.OTHER);

    /// `type 'literal'`: operands are the type and the string.
    /// What stands in the tokens for IN before an interval's text: no operator can be written so.
    static final String IN_INTERVAL = "IN INTERVAL";

    public static final String NOT_IN_INTERVAL = "NOT IN INTERVAL";

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

    /// `B'101'` or `X'1F'`: the operand is the text as the type reads it, `b101` and `x1F`.
    public static final SqlSpecialOperator BIT_LITERAL = new SqlSpecialOperator("BIT_LITERAL", SqlKind.OTHER) {
        @Override
        public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
            call.operand(0).unparse(writer, 0, 0);
        }
    };

    /// `i:j` in an array's brackets; a bound that is not written is an empty list.
    public static final SqlSpecialOperator SLICE = new SqlSpecialOperator("SLICE", SqlKind.OTHER);

    /// `x USING >` in ORDER BY: operands are the expression and the operator's symbol.
    public static final SqlSpecialOperator SORT_USING = new SqlSpecialOperator("USING", SqlKind.OTHER);

    /// A FROM item with TABLESAMPLE: operands are the item, the method, its arguments, and REPEATABLE's seed or null.
    public static final SqlSpecialOperator SAMPLE = new SqlSpecialOperator("TABLESAMPLE", SqlKind.TABLESAMPLE);

    private PostgresOperators() {}

    /// What USING of a join lists; with a name for the merged columns, AS over it.
    public static SqlNode usingList(List<SqlNode> names, SqlIdentifier alias, SqlParserPos pos) {
        SqlNodeList list = new SqlNodeList(names, pos);
        return alias == null ? list : SqlStdOperatorTable.AS.createCall(pos, list, alias);
    }

    /// Whether it is `IN '2016-01'` or NOT IN.
    public static boolean isInInterval(SqlOperator operator) {
        return operator.getName().equals(IN_INTERVAL) || operator.getName().equals(NOT_IN_INTERVAL);
    }

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
        int precedence = symbol.equals(VARIADIC) ? 2 : PREFIX_PRECEDENCE;
        return new SqlPrefixOperator(symbol, SqlKind.OTHER, precedence, null, null, null);
    }

    static {
        for (String symbol :
                new String[] {"||", "~", "~*", "!~", "!~*", "~~", "~~*", "!~~", "!~~*", "^", "&", "|", "#"}) {
            BINARY.put(symbol, binary(symbol));
        }
        // They bind as comparisons do.
        BINARY.put(IN_INTERVAL, operator(IN_INTERVAL, IN_PRECEDENCE));
        BINARY.put(NOT_IN_INTERVAL, operator(NOT_IN_INTERVAL, IN_PRECEDENCE));
        BINARY.put(IS_JSON.getName(), IS_JSON);
        BINARY.put(IS_NOT_JSON.getName(), IS_NOT_JSON);
    }

    static {
        // As IS NULL has it.
        BINARY.put(IS_NORMALIZED, operator(IS_NORMALIZED, IS_PRECEDENCE));
        BINARY.put(IS_NOT_NORMALIZED, operator(IS_NOT_NORMALIZED, IS_PRECEDENCE));
    }

    private static SqlBinaryOperator operator(String symbol, int precedence) {
        return new SqlBinaryOperator(symbol, SqlKind.OTHER, precedence, true, null, null, null);
    }
}
