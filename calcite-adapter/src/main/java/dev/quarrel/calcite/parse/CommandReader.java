package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.ClientCommand;
import dev.quarrel.calcite.ClientCommand.Written;
import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.run.CursorRows;
import dev.quarrel.core.run.CursorRows.Direction;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Reads statements about cursors, prepared statements and locks, from behind their first word on.
///
/// - Errors: 42601, and 42P11 for DECLARE's options that exclude one another.
final class CommandReader {
    private final LexemeReader in;
    private final String text;
    private final int from;
    private final int to;

    CommandReader(LexemeReader in, int from, int to) {
        this.in = in;
        this.text = in.text();
        this.from = from;
        this.to = to;
    }

    Statement.Declare declare() {
        String name = in.name();
        boolean isBinary = false;
        Boolean isScrollable = null;
        boolean isInsensitive = false;
        boolean isAsensitive = false;
        while (!in.peek().isWord("cursor")) {
            if (in.acceptWord("binary")) {
                isBinary = true;
            } else if (in.acceptWord("insensitive")) {
                isInsensitive = true;
            } else if (in.acceptWord("asensitive")) {
                isAsensitive = true;
            } else {
                boolean scrolls = !in.acceptWord("no");
                in.expectWord("scroll");
                if (isScrollable != null && isScrollable != scrolls) {
                    throw excluded("SCROLL", "NO SCROLL");
                }
                isScrollable = scrolls;
            }
        }
        if (isInsensitive && isAsensitive) {
            throw excluded("INSENSITIVE", "ASENSITIVE");
        }
        in.expectWord("cursor");
        boolean isHeld = false;
        if (in.acceptWord("with")) {
            in.expectWord("hold");
            isHeld = true;
        } else if (in.acceptWord("without")) {
            in.expectWord("hold");
        }
        in.expectWord("for");
        return new Statement.Declare(text, from, to, name, isBinary, isScrollable, isHeld, in.query());
    }

    private static QueryException excluded(String one, String other) {
        return new QueryException(SqlState.INVALID_CURSOR_DEFINITION, "cannot specify both " + one + " and " + other);
    }

    Statement fetch(boolean isMove) {
        Direction direction = Direction.FORWARD;
        long count = 1;
        if (in.acceptWord("next")) {
            count = 1;
        } else if (in.acceptWord("prior")) {
            direction = Direction.BACKWARD;
        } else if (in.acceptWord("first")) {
            direction = Direction.ABSOLUTE;
        } else if (in.acceptWord("last")) {
            direction = Direction.ABSOLUTE;
            count = -1;
        } else if (in.acceptWord("absolute")) {
            direction = Direction.ABSOLUTE;
            count = number();
        } else if (in.acceptWord("relative")) {
            direction = Direction.RELATIVE;
            count = number();
        } else if (in.acceptWord("all")) {
            count = CursorRows.ALL;
        } else if (in.isAnyWord("forward", "backward")) {
            direction = in.acceptWord("forward") ? Direction.FORWARD : Direction.BACKWARD;
            in.acceptWord("backward");
            count = in.acceptWord("all") ? CursorRows.ALL : isNumber() ? number() : 1;
        } else if (isNumber()) {
            count = number();
        }
        if (!in.acceptWord("from")) {
            in.acceptWord("in");
        }
        return new Statement.Fetch(text, from, to, new ClientCommand.Fetch(in.name(), direction, count, isMove));
    }

    private boolean isNumber() {
        return in.peek().kind() == Kind.INTEGER
                || in.peek().isSymbol("-")
                || in.peek().isSymbol("+");
    }

    /// As large as PostgreSQL's: 32 bits with a sign.
    private int number() {
        boolean isNegative = in.acceptSymbol("-");
        if (!isNegative) {
            in.acceptSymbol("+");
        }
        Lexeme number = in.peek();
        if (number.kind() != Kind.INTEGER) {
            throw in.syntaxError(number);
        }
        try {
            int value = Integer.parseInt(number.text());
            in.skip(1);
            return isNegative ? -value : value;
        } catch (NumberFormatException tooLarge) {
            throw in.syntaxError(number);
        }
    }

    Statement close() {
        return new Statement.Close(text, from, to, in.acceptWord("all") ? null : in.name());
    }

    Statement prepare() {
        String name = in.name();
        List<Written> types = in.peek().isSymbol("(") ? parts() : List.of();
        in.expectWord("as");
        Lexeme first = in.peek();
        if (!in.isAnyWord("insert", "update", "delete", "merge")) {
            return new Statement.Prepare(text, from, to, name, types, in.query());
        }
        Statement write = new DefinitionReader(in, first.start(), to).read();
        return new Statement.Prepare(text, from, to, name, types, write);
    }

    Statement.Execute execute() {
        String name = in.name();
        return new Statement.Execute(text, from, to, name, in.peek().isSymbol("(") ? parts() : List.of());
    }

    /// What stands between commas in the parentheses that open here; one at least.
    private List<Written> parts() {
        int end = in.closingParenthesis();
        List<Written> parts = new ArrayList<>();
        in.skip(1);
        int depth = 0;
        int begin = in.place();
        while (in.place() <= end) {
            Lexeme lexeme = in.peek();
            if (in.isAtEnd()) {
                throw in.syntaxError(lexeme);
            }
            if (in.place() == end || depth == 0 && lexeme.isSymbol(",")) {
                if (begin == in.place()) {
                    throw in.syntaxError(lexeme);
                }
                int start = in.lexeme(begin).start();
                parts.add(new Written(
                        text.substring(start, in.lexeme(in.place() - 1).end()), start));
                begin = in.place() + 1;
            }
            depth += lexeme.isSymbol("(") || lexeme.isSymbol("[") ? 1 : 0;
            depth -= lexeme.isSymbol(")") || lexeme.isSymbol("]") ? 1 : 0;
            in.skip(1);
        }
        return parts;
    }

    Statement lock() {
        in.acceptWord("table");
        List<Statement.Query> tables = new ArrayList<>();
        do {
            in.acceptWord("only");
            tables.add(CopyReader.table(in.qualifiedName(), List.of()));
            in.acceptSymbol("*");
        } while (in.acceptSymbol(","));
        String mode = "";
        if (in.acceptWord("in")) {
            while (!in.peek().isWord("mode")) {
                mode += " " + in.name();
            }
            in.expectWord("mode");
        }
        in.acceptWord("nowait");
        return mode.equals(" access share")
                ? new Statement.LockTables(text, from, to, tables)
                : new Statement.ReadOnlyRejected(text, from, to, "LOCK TABLE");
    }

    Statement unlisten() {
        if (!in.acceptSymbol("*")) {
            in.name();
        }
        return new Statement.Nothing(text, from, to, "UNLISTEN");
    }
}
