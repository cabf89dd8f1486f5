package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Collating;
import dev.quarrel.calcite.sql.convert.Collations;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.Overloads;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.CollationRows;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/// Resolves operators over analysed operands: selects the operator by the operands' types and builds its call.
///
/// - Errors: 42883 where there is none, 42725 where there are several, with PostgreSQL's messages.
/// - Source: PostgreSQL's `parse_oper.c`; for rows make_row_comparison_op in `parse_expr.c`.
final class OperatorCalls {
    private static final Set<SqlType> INTEGERS = Set.of(SqlType.INT2, SqlType.INT4, SqlType.INT8);

    private static final String CASTS_HINT =
            "No operator matches the given name and argument types. You might need to add explicit type casts.";

    private final Analysis analysis;
    private final RexMaker maker;
    private final Conversions conversions;
    private final ArrayCalls arrays;

    OperatorCalls(Analysis analysis, ArrayCalls arrays) {
        this.analysis = analysis;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.arrays = arrays;
    }

    /// Finds an operator's position in the text; called only for an error, since it splits the text into lexemes
    /// again.
    @FunctionalInterface
    interface Place {
        int find();
    }

    /// An operator between values, or between rows.
    ///
    /// @param left the left operand's node: the operator stands behind it
    Expr.Value infix(String symbol, Expr leftExpr, Expr rightExpr, SqlNode left) {
        if (leftExpr instanceof Expr.Row one && rightExpr instanceof Expr.Row two && (one.isWhole() || two.isWhole())) {
            Place place = () -> analysis.operatorAfter(left);
            Expr.Value compared = new RowComparisons(analysis, this).of(symbol, one, two, place);
            if (compared != null) {
                return compared;
            }
        }
        if (leftExpr instanceof Expr.Row(List<Expr> leftItems, var _, var _, var _, var _, var _, int leftAt)
                && rightExpr instanceof Expr.Row(List<Expr> rightItems, var _, var _, var _, var _, var _, int _)) {
            return rows(symbol, leftItems, rightItems, left, leftAt);
        }
        if (symbol.equals("||")) {
            return concatenation(leftExpr, rightExpr, left);
        }
        return call(symbol, leftExpr, rightExpr, () -> analysis.operatorAfter(left));
    }

    /// An operator between values.
    Expr.Value call(String symbol, Expr leftExpr, Expr rightExpr, Place place) {
        Expr left = leftExpr;
        Expr right = rightExpr;
        if (left.type() == SqlType.OTHER || right.type() == SqlType.OTHER) {
            RexNode compared = OtherTypes.compare(maker, conversions, symbol, left, right);
            if (compared == null && (OtherTypes.enumOf(left) != null || OtherTypes.enumOf(right) != null)) {
                throw noOperator(
                        OtherTypes.displayName(left) + " " + symbol + " " + OtherTypes.displayName(right),
                        place.find());
            }
            if (compared == null) {
                throw noOperator(symbol, List.of(left.type(), right.type()), false, place.find());
            }
            return Expr.Value.bool(compared, left.at());
        }
        List<SqlType> types = List.of(left.type(), right.type());
        List<Signature> signatures = candidates(symbol, types);
        boolean areUnlikeArrays = left.type() != right.type()
                && left.type().isArray()
                && right.type().isArray();
        if (areUnlikeArrays) {
            throw noOperator(symbol, types, false, place.find());
        }
        Overloads.Choice choice = Overloads.operator(signatures, types);
        Signature signature = choice.signature();
        if (signature == null
                && (ArrayCalls.isItem(left) || ArrayCalls.isItem(right))
                && (symbol.equals("=") || symbol.equals("<>"))) {
            // An element of an array held as text is of whatever type it is compared with.
            signature = signatures.stream()
                    .filter(each -> each.arguments().equals(List.of(SqlType.TEXT, SqlType.TEXT)))
                    .findFirst()
                    .orElseThrow();
            RexNode same = signature.build().apply(maker, List.of(conversions.text(left), conversions.text(right)));
            return Expr.Value.bool(same, left.at());
        }
        if (signature == null && ArrayCalls.isItem(left) && INTEGERS.contains(right.type())) {
            return call(symbol, conversions.convert(left, right.type(), Expr.NO_TYPMOD), right, place);
        }
        if (signature == null) {
            throw noOperator(symbol, types, choice.ambiguous(), place.find());
        }
        RexNode leftRex =
                conversions.implicit(left, signature.arguments().get(0)).rex();
        RexNode rightRex =
                conversions.implicit(right, signature.arguments().get(1)).rex();
        List<RexNode> operands = collated(symbol, left, right, List.of(leftRex, rightRex), place);
        RexNode rex = signature.build().apply(maker, operands);
        return analysis.collations().collated(new Expr.Value(rex, signature.result(), left.at()), List.of(left, right));
    }

    /// What an operator of texts compares or matches: keys where a collation orders them, and for ILIKE their lower
    /// case.
    private List<RexNode> collated(String symbol, Expr left, Expr right, List<RexNode> operands, Place place) {
        Collations collations = analysis.collations();
        List<Expr> both = List.of(left, right);
        boolean isPlain = collations.of(both) instanceof Collating.None;
        if (isPlain) {
            return operands;
        }
        collations.requireDeterministic(both, left.at());
        return switch (symbol) {
            case "=", "<>" -> {
                collations.requireEquality(both, left.at());
                yield operands;
            }
            case "<", "<=", ">", ">=" -> {
                Collation collation = collations.comparing(both, left.at());
                if (collation != null && (left.type().isArray() || right.type().isArray())) {
                    throw collations.noOrderOfArrays(collation, place.find());
                }
                yield collation == null
                        ? operands
                        : operands.stream()
                                .map(each -> collations.key(each, collation))
                                .toList();
            }
            case "~~", "!~~" -> {
                collations.requireEquality(both, left.at());
                yield operands;
            }
            case "~~*", "!~~*" -> {
                collations.requireEquality(both, left.at());
                List<RexNode> lower = new ArrayList<>();
                for (RexNode operand : operands) {
                    RexNode text = operand.getType().getSqlTypeName() == SqlTypeName.CHAR
                            ? conversions.output(new Expr.Value(operand, SqlType.BPCHAR, -1))
                            : operand;
                    RexNode cased = collations.cased(CollationRows.LOWER, text, both, "ILIKE");
                    lower.add(cased == null ? operand : cased);
                }
                yield lower;
            }
            case "~", "!~", "~*", "!~*" -> {
                RexNode pattern = collations.pattern(both, operands.getLast(), place.find());
                yield List.of(operands.getFirst(), pattern);
            }
            default -> operands;
        };
    }

    /// The operators of a symbol. Ranges and what is in them have one type of values, to which nothing is converted.
    private static List<Signature> candidates(String symbol, List<SqlType> types) {
        List<Signature> all = Operators.binary(symbol);
        if (types.stream().noneMatch(type -> type.category() == SqlType.Category.RANGE)) {
            return all;
        }
        return all.stream()
                .filter(each -> isExact(each.arguments().get(0), types.get(0))
                        && isExact(each.arguments().get(1), types.get(1)))
                .toList();
    }

    private static boolean isExact(SqlType declared, SqlType given) {
        return given == SqlType.UNKNOWN
                || given == declared
                || given == SqlType.WIDE_NUMERIC && declared == SqlType.NUMERIC;
    }

    QueryException noOperator(String symbol, List<SqlType> types, boolean ambiguous, int at) {
        return noOperator(analysis, symbol, types, ambiguous, at);
    }

    static QueryException noOperator(Analysis analysis, String symbol, List<SqlType> types, boolean ambiguous, int at) {
        if (Operators.UNSUPPORTED.contains(symbol)
                || types.stream().anyMatch(type -> type == SqlType.OTHER || type == SqlType.RECORD)) {
            return analysis.unsupported(at, "operator " + description(symbol, types));
        }
        if (ambiguous) {
            return analysis.error(
                            SqlState.AMBIGUOUS_FUNCTION, at, "operator is not unique: " + description(symbol, types))
                    .withHint("Could not choose a best candidate operator. You might need to add explicit type casts.");
        }
        QueryException none = analysis.error(
                SqlState.UNDEFINED_FUNCTION, at, "operator does not exist: " + description(symbol, types));
        return types.size() == 1
                ? none.withHint(
                        "No operator matches the given name and argument type. You might need to add an explicit type cast.")
                : none.withHint(CASTS_HINT);
    }

    private QueryException noOperator(String described, int at) {
        return analysis.error(SqlState.UNDEFINED_FUNCTION, at, "operator does not exist: " + described)
                .withHint(CASTS_HINT);
    }

    private static String description(String symbol, List<SqlType> types) {
        return types.size() == 1
                ? symbol + " " + types.get(0).displayName()
                : types.get(0).displayName() + " " + symbol + " " + types.get(1).displayName();
    }

    Expr prefix(String symbol, Expr operand, int at) {
        List<SqlType> types = List.of(operand.type());
        Overloads.Choice choice = Overloads.operator(Operators.prefix(symbol), types);
        Signature signature = choice.signature();
        if (signature == null) {
            throw noOperator(symbol, types, choice.ambiguous(), at);
        }
        RexNode rex = signature
                .build()
                .apply(
                        maker,
                        List.of(conversions
                                .implicit(operand, signature.arguments().get(0))
                                .rex()));
        return analysis.collations().collated(new Expr.Value(rex, signature.result(), at), List.of(operand));
    }

    /// One side must be text, or a literal that can be; the other is turned into text.
    private Expr.Value concatenation(Expr left, Expr right, SqlNode leftNode) {
        if (isDocument(left) || isDocument(right)) {
            boolean isBoth = (isDocument(left) || left.type() == SqlType.UNKNOWN)
                    && (isDocument(right) || right.type() == SqlType.UNKNOWN);
            if (isBoth) {
                return call("||", left, right, () -> analysis.operatorAfter(leftNode));
            }
        }
        if (isBits(left) && (isBits(right) || right.type() == SqlType.UNKNOWN)
                || isBits(right) && left.type() == SqlType.UNKNOWN) {
            return call("||", left, right, () -> analysis.operatorAfter(leftNode));
        }
        if (left.type().isArray() || right.type().isArray()) {
            Expr.Value joined = arrays.concatenation(left, right);
            if (joined == null) {
                throw noOperator("||", List.of(left.type(), right.type()), false, analysis.operatorAfter(leftNode));
            }
            return joined;
        }
        if (isBytes(left) && (isBytes(right) || right.type() == SqlType.UNKNOWN)
                || isBytes(right) && left.type() == SqlType.UNKNOWN) {
            return call("||", left, right, () -> analysis.operatorAfter(leftNode));
        }
        boolean textual = left.type().isString() || right.type().isString();
        boolean unknown = left.type() == SqlType.UNKNOWN || right.type() == SqlType.UNKNOWN;
        boolean scalar = isScalar(left) && isScalar(right);
        if (!scalar || !textual && !unknown) {
            throw noOperator("||", List.of(left.type(), right.type()), false, analysis.operatorAfter(leftNode));
        }
        Expr.Value joined = new Expr.Value(
                maker.call(
                        SqlStdOperatorTable.CONCAT,
                        maker.rel(SqlType.TEXT),
                        conversions.text(left),
                        conversions.text(right)),
                SqlType.TEXT,
                left.at());
        return analysis.collations().collated(joined, List.of(left, right));
    }

    private static boolean isScalar(Expr expr) {
        SqlType type = expr.type();
        boolean isPlain = type.category() != SqlType.Category.PSEUDO && !type.isArray() && type != SqlType.OTHER;
        return isPlain || OtherTypes.enumOf(expr) != null;
    }

    private static boolean isDocument(Expr expr) {
        return expr.type() == SqlType.JSONB;
    }

    private static boolean isBits(Expr expr) {
        return expr.type().category() == SqlType.Category.BITS;
    }

    static boolean isBytes(Expr expr) {
        return expr.type() == SqlType.BYTEA;
    }

    private Expr.Value rows(String symbol, List<Expr> left, List<Expr> right, SqlNode node, int at) {
        if (left.size() != right.size()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    analysis.operatorAfter(node),
                    "unequal number of entries in row expressions");
        }
        if (left.isEmpty()) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED, analysis.operatorAfter(node), "cannot compare rows of zero length");
        }
        Place place = () -> analysis.operatorAfter(node);
        List<RexNode> parts = new ArrayList<>();
        switch (symbol) {
            case "=", "<>" -> {
                for (int index = 0; index < left.size(); index++) {
                    parts.add(call(symbol, left.get(index), right.get(index), place)
                            .rex());
                }
                return Expr.Value.bool(symbol.equals("=") ? maker.and(parts) : maker.or(parts), at);
            }
            case "<", "<=", ">", ">=" -> {
                // (a, b) < (c, d) is a < c OR a = c AND b < d.
                String strict = symbol.substring(0, 1);
                List<RexNode> equal = new ArrayList<>();
                for (int index = 0; index < left.size(); index++) {
                    boolean last = index == left.size() - 1;
                    List<RexNode> all = new ArrayList<>(equal);
                    all.add(call(last ? symbol : strict, left.get(index), right.get(index), place)
                            .rex());
                    parts.add(maker.and(all));
                    equal.add(
                            call("=", left.get(index), right.get(index), place).rex());
                }
                return Expr.Value.bool(maker.or(parts), at);
            }
            default -> throw noOperator(symbol, List.of(SqlType.RECORD, SqlType.RECORD), false, place.find());
        }
    }
}
