package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.parse.SeriesWords;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/// A call of a [SeriesFunction], as the expression for it is made of its arguments.
public final class SeriesCall {
    private static final Pattern STEP = Pattern.compile("\\s*(\\d*)\\s*([a-zA-Z]+)\\s*");
    private static final Pattern OFFSET = Pattern.compile("[+-]\\d{1,2}(:?\\d{2})?");

    /// What is known of expressions.
    public interface Source {
        /// An argument of a function that is no aggregate.
        Argument argument(SqlNode node);

        /// Whether the argument of an aggregate has a type that `first(value, argument)` goes by.
        boolean isOrdered(SqlNode node);

        /// The statement.
        String text();
    }

    /// An argument that has been analysed.
    ///
    /// @param node stands for it, in as many places as need be
    /// @param type UNKNOWN for a literal without a type
    public record Argument(SqlNode node, SqlType type) {}

    private final SeriesFunctions.Call call;
    private final Source source;
    private final SeriesTree tree;

    SeriesCall(SeriesFunctions.Call call, Source source) {
        this.call = call;
        this.source = source;
        this.tree = new SeriesTree(call.call().getParserPosition());
    }

    SeriesTree tree() {
        return tree;
    }

    /// The arguments as they are written.
    List<SqlNode> written() {
        return call.call().getOperandList();
    }

    int size() {
        return call.call().operandCount();
    }

    /// An argument as it is written.
    SqlNode written(int index) {
        return call.call().operand(index);
    }

    /// An argument that is used for its value.
    Argument argument(int index) {
        return source.argument(written(index));
    }

    /// A time; null for a value that is none. A text without a type is a `timestamp`, which may leave out what follows
    /// its year.
    Argument time(int index) {
        String text = constant(written(index));
        if (text != null) {
            return new Argument(tree.literal("timestamp", TimeRanges.begin(text).orElse(text)), SqlType.TIMESTAMP);
        }
        Argument argument = argument(index);
        if (argument.type() == SqlType.UNKNOWN) {
            return new Argument(tree.cast(argument.node(), "timestamp"), SqlType.TIMESTAMP);
        }
        return DesignatedTimestamp.isTime(argument.type()) ? argument : null;
    }

    /// An argument as `double precision`; no argument of an aggregate has been analysed.
    SqlNode float8(int index) {
        return tree.cast(written(index), "float8");
    }

    /// A step such as `30m` or `h`.
    ///
    /// - Errors: 0A000 for what is no constant, or a unit that is not built; 22023 for another text.
    TimeSteps step(int index) {
        SqlNode node = written(index);
        Matcher step = STEP.matcher(constant(index, "a unit of time"));
        if (!step.matches()) {
            throw error(SqlState.INVALID_PARAMETER_VALUE, node, "\"" + constant(node) + "\" is no unit of time")
                    .withHint("Units are U (microseconds), T (milliseconds), s, m, h, d, w, M (months) and y.");
        }
        long count = step.group(1).isEmpty() ? 1 : SeriesWords.count(step.group(1));
        return TimeSteps.of(new SeriesClauses.Step(node.getParserPosition(), count, step.group(2)), source.text());
    }

    /// A unit without a number before it.
    ///
    /// - Errors: as [#step] has.
    TimeSteps unit(int index) {
        String text = constant(index, "a unit of time");
        if (!text.isEmpty() && Character.isDigit(text.strip().charAt(0))) {
            throw error(
                    SqlState.INVALID_PARAMETER_VALUE,
                    written(index),
                    name() + " takes a unit of time without a number, not \"" + text + "\"");
        }
        return step(index);
    }

    /// A time zone for AT TIME ZONE. What is between UTC and a zone's time is before it in ISO 8601, and in QuestDB: an
    /// interval is read so, where POSIX reads a text the other way round.
    ///
    /// - Errors: 0A000 for what is no constant.
    SqlNode zone(int index) {
        constant(index, "a time zone");
        return zone(tree, written(index));
    }

    /// The same of a zone that is written elsewhere.
    static SqlNode zone(SeriesTree tree, SqlNode written) {
        String text = constant(written);
        return text != null && OFFSET.matcher(text).matches() ? tree.typed("interval", hours(tree, text)) : written;
    }

    /// `+5` and `+0530` as intervals read them.
    private static SqlNode hours(SeriesTree tree, String offset) {
        String digits = offset.substring(1).replace(":", "");
        String padded = digits.length() % 2 == 1 ? "0" + digits : digits;
        return tree.text(
                offset.charAt(0) + padded.substring(0, 2) + ":" + (padded.length() > 2 ? padded.substring(2) : "00"));
    }

    private String constant(int index, String what) {
        String text = constant(written(index));
        if (text == null) {
            throw error(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    written(index),
                    what + " that is no literal is not supported in " + name());
        }
        return text;
    }

    /// The text of a literal without a type; null for any other expression.
    private static String constant(SqlNode node) {
        return node instanceof SqlLiteral literal && SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())
                ? literal.getValueAs(String.class)
                : null;
    }

    String name() {
        return call.name();
    }

    QueryException unsupported(int index, String what) {
        return error(SqlState.FEATURE_NOT_SUPPORTED, written(index), what + " is not supported");
    }

    private QueryException error(SqlState state, SqlNode node, String message) {
        return new QueryException(state, message).withPosition(Positions.of(source.text(), Positions.start(node)));
    }

    /// Whether `first(value, argument)` goes by an argument.
    boolean isOrdered(int index) {
        return source.isOrdered(written(index));
    }

    /// An aggregate with what is written around the call.
    ///
    /// @param condition which of the rows it is of; null for all
    SqlNode aggregate(SqlNode aggregate, SqlNode condition) {
        SqlNode filter = tree.and(call.filter(), condition);
        SqlNode filtered =
                filter == null ? aggregate : SqlStdOperatorTable.FILTER.createCall(tree.pos(), aggregate, filter);
        return call.over() == null ? filtered : SqlStdOperatorTable.OVER.createCall(tree.pos(), filtered, call.over());
    }
}
