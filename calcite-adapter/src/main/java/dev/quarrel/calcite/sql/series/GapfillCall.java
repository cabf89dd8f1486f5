package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Util;

/// A call of `time_bucket_gapfill`, by its arguments.
///
/// @param zone null for UTC
/// @param start null where WHERE says it, as for `finish`
/// @param origin null for TimescaleDB's
record GapfillCall(
        SqlCall written, SqlNode width, SqlNode time, SqlNode zone, SqlNode start, SqlNode finish, SqlNode origin) {
    private static final String NAME = GapfillQuery.NAME;
    private static final Set<String> FILLS = Set.of("locf", "interpolate");

    /// A call of `locf` or `interpolate`.
    ///
    /// @param isCarried whether it is `locf`
    /// @param before what is carried into the first bucket; null for nothing
    /// @param isOfPresent whether NULLs are filled as well
    /// @param prev what is before the first bucket, of `interpolate`; null for nothing
    /// @param next what is behind the last group, of `interpolate`; null for nothing
    record Fill(
            boolean isCarried,
            SqlNode value,
            SqlNode before,
            boolean isOfPresent,
            GapfillSample prev,
            GapfillSample next) {}

    static boolean is(SqlNode node) {
        return node instanceof SqlCall call && call.getOperator().getName().equals(NAME);
    }

    static boolean isFill(SqlNode node) {
        return node instanceof SqlCall call && FILLS.contains(call.getOperator().getName());
    }

    /// Whether one is in an expression, outside of sub-queries.
    static boolean in(SqlNode node) {
        return find(node) != null;
    }

    private static SqlCall find(SqlNode node) {
        try {
            node.accept(new SqlBasicVisitor<Void>() {
                @Override
                public Void visit(SqlCall call) {
                    if (is(call)) {
                        throw new Util.FoundOne(call);
                    }
                    return call.isA(SqlKind.QUERY) ? null : super.visit(call);
                }
            });
            return null;
        } catch (Util.FoundOne found) {
            return (SqlCall) found.getNode();
        }
    }

    /// The first one in an expression.
    ///
    /// - Errors: 42883 for arguments that it does not take.
    static GapfillCall of(SqlNode node, GapfillQuery.Source source) {
        SqlCall call = find(node);
        boolean hasZone = call.operandCount() > 2 && !isNamed(call.operand(2)) && isZone(call.operand(2), source)
                || call.getOperandList().stream().anyMatch(operand -> isNamed(operand, "timezone"));
        SqlNode[] arguments = hasZone
                ? arguments(call, source, "bucket_width", "ts", "timezone", "start", "finish", "origin")
                : arguments(call, source, "bucket_width", "ts", "start", "finish", "origin");
        int next = hasZone ? 3 : 2;
        if (arguments[0] == null || arguments[1] == null) {
            throw source.error(SqlState.UNDEFINED_FUNCTION, call, NAME + " takes a bucket's width and a time");
        }
        return new GapfillCall(
                call,
                arguments[0],
                arguments[1],
                hasZone ? arguments[2] : null,
                given(arguments[next]),
                given(arguments[next + 1]),
                given(arguments[next + 2]));
    }

    /// A text is a zone's name unless it begins as a time does.
    private static boolean isZone(SqlNode argument, GapfillQuery.Source source) {
        if (argument instanceof SqlLiteral literal) {
            String text =
                    SqlTypeName.CHAR_TYPES.contains(literal.getTypeName()) ? literal.getValueAs(String.class) : "";
            return !text.isEmpty() && Character.isLetter(text.charAt(0));
        }
        return source.typeOf(argument) == SqlType.TEXT;
    }

    /// Null where it is NULL, or not there.
    private static SqlNode given(SqlNode argument) {
        SqlNode inner = argument;
        while (inner instanceof SqlCall cast && cast.getKind() == SqlKind.CAST) {
            inner = cast.operand(0);
        }
        return inner instanceof SqlLiteral literal && literal.getValue() == null ? null : argument;
    }

    // ---- locf and interpolate

    /// The value that is filled.
    static SqlNode argument(SqlNode node, GapfillQuery.Source source) {
        return fill((SqlCall) node, source).value();
    }

    static Fill fill(SqlCall call, GapfillQuery.Source source) {
        String name = call.getOperator().getName();
        boolean isCarried = name.equals("locf");
        SqlNode[] arguments = isCarried
                ? arguments(call, source, "value", "prev", "treat_null_as_missing")
                : arguments(call, source, "value", "prev", "next");
        if (arguments[0] == null) {
            throw source.error(SqlState.UNDEFINED_FUNCTION, call, name + " takes a value");
        }
        if (!isCarried) {
            GapfillSample prev = sample(arguments[1], call, source);
            GapfillSample next = sample(arguments[2], call, source);
            return new Fill(false, arguments[0], null, false, prev, next);
        }
        return new Fill(true, arguments[0], given(arguments[1]), isTrue(arguments[2], call, source), null, null);
    }

    private static boolean isTrue(SqlNode argument, SqlCall call, GapfillQuery.Source source) {
        if (argument == null) {
            return false;
        }
        if (argument instanceof SqlLiteral literal
                && (literal.getValue() == null || literal.getTypeName() == SqlTypeName.BOOLEAN)) {
            return Boolean.TRUE.equals(literal.getValue());
        }
        throw source.error(
                SqlState.FEATURE_NOT_SUPPORTED,
                call,
                "invalid locf argument: treat_null_as_missing must be a BOOL literal");
    }

    private static GapfillSample sample(SqlNode argument, SqlCall call, GapfillQuery.Source source) {
        SqlNode given = given(argument);
        GapfillSample sample = given == null ? null : GapfillSample.of(given);
        if (given != null && sample == null) {
            throw source.error(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            call,
                            "interpolate with a prev or next that does not write out a row of a time and a value"
                                    + " is not supported")
                    .withHint("Write (SELECT (ts, value) FROM … ORDER BY ts DESC LIMIT 1).");
        }
        return sample;
    }

    // ---- arguments

    /// Arguments by place, and behind them by name; null for those that are not there.
    private static SqlNode[] arguments(SqlCall call, GapfillQuery.Source source, String... names) {
        SqlNode[] arguments = new SqlNode[names.length];
        List<SqlNode> operands = call.getOperandList();
        for (int index = 0; index < operands.size(); index++) {
            SqlNode operand = operands.get(index);
            String name = isNamed(operand) ? ((SqlIdentifier) ((SqlCall) operand).operand(1)).getSimple() : null;
            int place = name == null ? index : Arrays.asList(names).indexOf(name);
            if (place < 0 || place >= names.length || arguments[place] != null) {
                throw source.error(
                        SqlState.UNDEFINED_FUNCTION,
                        call,
                        call.getOperator().getName() + " takes no "
                                + (name == null ? operands.size() + " arguments" : "argument \"" + name + "\" here"));
            }
            arguments[place] = name == null ? operand : ((SqlCall) operand).operand(0);
        }
        return arguments;
    }

    private static boolean isNamed(SqlNode operand) {
        return operand.getKind() == SqlKind.ARGUMENT_ASSIGNMENT;
    }

    private static boolean isNamed(SqlNode operand, String name) {
        return isNamed(operand)
                && ((SqlIdentifier) ((SqlCall) operand).operand(1)).getSimple().equals(name);
    }
}
