package dev.quarrel.server.session;

import dev.quarrel.calcite.ClientCommand;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.rows.ParameterDecoder;
import dev.quarrel.server.rows.RowEncoder;
import dev.quarrel.server.rows.TextStyle;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/// The parameters of PREPARE and EXECUTE, which are written in SQL.
final class Arguments {
    private Arguments() {}

    /// The type of that name; null for one that is to be found out.
    static PgType type(SqlSession sql, ClientCommand.Written written, Cancellation cancellation) {
        String before = "SELECT NULL::";
        PgType type = planned(sql, before + written.text(), List.of(written), List.of(before.length()), cancellation)
                .columns()
                .getFirst()
                .type();
        return type == PgType.UNKNOWN ? null : type;
    }

    /// The arguments' values, turned into the parameters' types.
    ///
    /// - Errors: 42601 for another number of arguments, 42P02 for parameters in them, and those of the expressions.
    static List<Literal> values(
            SqlSession sql,
            ClientCommand.Execute execute,
            List<PgType> types,
            PgParse.Moment moment,
            Cancellation cancellation) {
        List<ClientCommand.Written> arguments = execute.arguments();
        if (types.isEmpty()) {
            return List.of(); // PostgreSQL does not look at arguments then, either
        }
        if (arguments.size() != types.size()) {
            throw new QueryException(
                            SqlState.SYNTAX_ERROR,
                            "wrong number of parameters for prepared statement \"" + execute.name() + "\"")
                    .withDetail("Expected " + types.size() + " parameters but got " + arguments.size() + ".");
        }
        StringBuilder text = new StringBuilder("SELECT ");
        List<Integer> starts = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            text.append(index == 0 ? "(" : ", (");
            starts.add(text.length());
            text.append(arguments.get(index).text())
                    .append(")::")
                    .append(types.get(index).formatName());
        }
        PreparedQuery query = planned(sql, text.toString(), arguments, starts, cancellation);
        try (Execution run = sql.executePiecewise(query, List.of(), cancellation);
                Batch row = run.cursor().next()) {
            short[] formats = new short[types.size()];
            byte[][] texts = RowEncoder.of(query.columns(), formats, TextStyle.in(ZoneOffset.UTC))
                    .values(row, 0);
            return ParameterDecoder.decode(texts, formats, types, moment, sql::objectId);
        }
    }

    /// Plans a query that was put together of parts of a statement; errors point into the statement.
    ///
    /// @param starts of the parts in the query
    private static PreparedQuery planned(
            SqlSession sql,
            String text,
            List<ClientCommand.Written> parts,
            List<Integer> starts,
            Cancellation cancellation) {
        try {
            ParsedStatement parsed = sql.parse(text, cancellation).getFirst();
            PreparedQuery query = sql.prepare(parsed, List.of(), cancellation);
            if (!query.parameterTypes().isEmpty()) {
                throw parsed.noParameters();
            }
            return query;
        } catch (QueryException wrong) {
            int at = wrong.position().orElse(0) - 1;
            for (int index = parts.size() - 1; index >= 0; index--) {
                // An expression in parentheses may begin at these.
                int within = at - starts.get(index);
                if (within >= -1) {
                    throw wrong.withPosition(parts.get(index).startOffset() + Math.max(0, within) + 1);
                }
            }
            throw wrong.withoutPosition();
        }
    }
}
