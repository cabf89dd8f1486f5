package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.parse.OperatorPlaces;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.apache.calcite.sql.SqlNode;

/// The text of one statement; it makes the errors that point into that text.
///
/// Places are Java string indexes, as parsed nodes have them.
public final class StatementText {
    private final String text;
    private final OperatorPlaces operators;

    public StatementText(String text) {
        this.text = text;
        this.operators = new OperatorPlaces(text);
    }

    public String text() {
        return text;
    }

    /// @param at -1 for nowhere
    public QueryException error(SqlState state, int at, String message) {
        QueryException error = new QueryException(state, message);
        return at < 0 ? error : error.withPosition(Positions.of(text, at));
    }

    public QueryException unsupported(int at, String what) {
        return error(SqlState.FEATURE_NOT_SUPPORTED, at, what + " is not supported");
    }

    /// The same error, pointing at `at` if it points nowhere yet.
    public QueryException located(QueryException error, int at) {
        return error.position().isPresent() ? error : error.withPosition(Positions.of(text, at));
    }

    /// Where the operator between the operands of an infix call stands.
    public int operatorAfter(SqlNode left) {
        return operators.after(left);
    }

    /// Where the parenthesis before a node stands.
    public int openingBefore(SqlNode node) {
        int at = Positions.start(node);
        int opening = text.lastIndexOf('(', at);
        return opening < 0 ? at : opening;
    }
}
