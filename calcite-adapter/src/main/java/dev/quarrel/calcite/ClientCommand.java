package dev.quarrel.calcite;

import dev.quarrel.core.run.CursorRows;
import java.util.List;

/// A statement about what a server keeps for one client, its cursors and prepared statements: the server runs it, not
/// the engine.
public sealed interface ClientCommand {
    /// A part of a statement, as written.
    ///
    /// @param startOffset 0-based index in the text that was parsed
    record Written(String text, int startOffset) {}

    /// DECLARE … CURSOR.
    ///
    /// @param isScrollable whether it may be read backwards; null where nothing is said
    /// @param isHeld whether it outlives the transaction
    record DeclareCursor(String name, boolean isBinary, Boolean isScrollable, boolean isHeld, ParsedStatement query)
            implements ClientCommand {}

    /// FETCH, or MOVE, which gives no rows.
    ///
    /// @param count as the direction has it; [CursorRows#ALL] for ALL
    record Fetch(String cursor, CursorRows.Direction direction, long count, boolean isMove) implements ClientCommand {}

    /// @param cursor null for CLOSE ALL
    record CloseCursor(String cursor) implements ClientCommand {}

    /// PREPARE.
    ///
    /// @param types of the parameters
    record Prepare(String name, List<Written> types, ParsedStatement statement) implements ClientCommand {
        public Prepare {
            types = List.copyOf(types);
        }
    }

    /// EXECUTE.
    ///
    /// @param arguments expressions
    record Execute(String name, List<Written> arguments) implements ClientCommand {
        public Execute {
            arguments = List.copyOf(arguments);
        }
    }

    /// EXPLAIN of EXECUTE: [SqlSession#explain] answers it.
    ///
    /// @param columns of the answer
    record ExplainExecute(ParsedStatement statement, Execute execute, List<PreparedQuery.ResultColumn> columns)
            implements ClientCommand {
        public ExplainExecute {
            columns = List.copyOf(columns);
        }
    }

    /// @param name of the prepared statement; null for DEALLOCATE ALL
    record Deallocate(String name) implements ClientCommand {}
}
