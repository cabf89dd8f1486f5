package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Reads what CREATE TABLE and ALTER TABLE say of columns and keys.
///
/// - Errors: 42601; [DefinitionReader.NotBuilt].
/// - Source: PostgreSQL 18's `gram.y`: `columnDef`, `ColConstraintElem`, `ConstraintElem`.
final class ColumnReader {
    private static final Set<String> BEHIND_TYPE = Set.of(
            "not",
            "null",
            "collate",
            "default",
            "check",
            "constraint",
            "generated",
            "primary",
            "unique",
            "references",
            "compression",
            "storage");

    private static final Map<String, String> SERIALS = Map.of(
            "serial", "integer",
            "serial4", "integer",
            "bigserial", "bigint",
            "serial8", "bigint",
            "smallserial", "smallint",
            "serial2", "smallint");

    private final LexemeReader in;
    private final String table;

    /// @param table the name of the table that the columns are of
    ColumnReader(LexemeReader in, String table) {
        this.in = in;
        this.table = table;
    }

    /// A column or a table's constraint.
    Statement.TableElement element() {
        return isConstraint() ? constraint() : column();
    }

    boolean isConstraint() {
        return in.isAnyWord("constraint", "check", "exclude", "foreign")
                || in.isAnyWord("primary") && in.next(1).isWord("key")
                || in.isAnyWord("unique")
                        && (in.next(1).isSymbol("(") || in.next(1).isWord("nulls"));
    }

    /// `[CONSTRAINT name] PRIMARY KEY (column, …)`, or UNIQUE.
    Statement.KeyDefinition constraint() {
        String name = in.acceptWord("constraint") ? in.name() : null;
        boolean isPrimary = keyWord();
        if (in.isAnyWord("using")) {
            throw new DefinitionReader.NotBuilt("a constraint USING an index");
        }
        List<String> columns = in.namesInParentheses();
        keyOptions();
        return new Statement.KeyDefinition(name, isPrimary, List.copyOf(columns));
    }

    /// PRIMARY KEY or UNIQUE.
    private boolean keyWord() {
        if (in.acceptWord("primary")) {
            in.expectWord("key");
            return true;
        }
        if (in.acceptWord("unique")) {
            if (in.acceptWord("nulls")) {
                if (in.isAnyWord("not")) {
                    throw new DefinitionReader.NotBuilt("UNIQUE NULLS NOT DISTINCT");
                }
                in.expectWord("distinct");
            }
            return false;
        }
        throw notBuiltConstraint();
    }

    private RuntimeException notBuiltConstraint() {
        if (in.isAnyWord("check")) {
            return new DefinitionReader.NotBuilt("a CHECK constraint");
        }
        if (in.isAnyWord("references", "foreign")) {
            return new DefinitionReader.NotBuilt("a FOREIGN KEY constraint");
        }
        if (in.isAnyWord("exclude", "not")) {
            return new DefinitionReader.NotBuilt(
                    in.isAnyWord("not") ? "a NOT NULL constraint of a table" : "an EXCLUDE constraint");
        }
        return in.syntaxError(in.peek());
    }

    /// What may follow a key: nothing of it changes what rows may be.
    private void keyOptions() {
        if (in.isAnyWord("include")) {
            throw new DefinitionReader.NotBuilt("a key that INCLUDEs columns");
        }
        if (in.peek().isWord("with") && in.next(1).isSymbol("(")) {
            in.skip(1);
            in.skip(in.closingParenthesis() - in.place() + 1);
        }
        if (in.peek().isWord("using") && in.next(1).isWord("index")) {
            in.skip(2);
            in.expectWord("tablespace");
            in.name();
        }
        if (in.isAnyWord("deferrable")
                || in.isAnyWord("initially") && in.next(1).isWord("deferred")) {
            throw new DefinitionReader.NotBuilt("a deferrable constraint");
        }
        if (in.isAnyWord("not") && in.next(1).isWord("deferrable")) {
            in.skip(2);
        }
        if (in.isAnyWord("initially") && in.next(1).isWord("immediate")) {
            in.skip(2);
        }
    }

    /// `name type [constraint …]`.
    Statement.ColumnDefinition column() {
        String name = in.name();
        boolean isSerial = in.peek().kind() == Kind.WORD
                && SERIALS.containsKey(in.peek().text())
                && !in.next(1).isSymbol("(")
                && !in.next(1).isSymbol("[")
                && !in.next(1).isSymbol(".");
        String type = in.typeText(ColumnReader::isBehindType);
        Statement.CountedColumn counted = null;
        if (isSerial) {
            type = SERIALS.get(type.toLowerCase(Locale.ROOT));
            counted = new Statement.CountedColumn(Counter.Kind.SERIAL, 1, 1);
        }
        Statement.WrittenDefault byDefault = null;
        boolean isNotNull = isSerial;
        List<Statement.KeyDefinition> keys = new ArrayList<>();
        while (!isEnd()) {
            String constraint = in.acceptWord("constraint") ? in.name() : null;
            if (in.isAnyWord("not", "null")) {
                boolean isNot = in.acceptWord("not");
                in.expectWord("null");
                if (!isNot && isSerial) {
                    throw new QueryException(
                            SqlState.SYNTAX_ERROR,
                            "conflicting NULL/NOT NULL declarations for column \"" + name + "\" of table \"" + table
                                    + "\"");
                }
                isNotNull |= isNot;
            } else if (in.acceptWord("default")) {
                if (byDefault != null || counted != null) {
                    throw new QueryException(
                            SqlState.SYNTAX_ERROR,
                            "multiple default values specified for column \"" + name + "\" of table \"" + table + "\"");
                }
                byDefault = expression();
            } else if (in.acceptWord("generated")) {
                if (byDefault != null || counted != null) {
                    throw new QueryException(
                            SqlState.SYNTAX_ERROR,
                            "both default and identity specified for column \"" + name + "\" of table \"" + table
                                    + "\"");
                }
                counted = identity();
                isNotNull = true;
            } else if (in.isAnyWord("primary", "unique")) {
                boolean isPrimary = keyWord();
                keyOptions();
                keys.add(new Statement.KeyDefinition(constraint, isPrimary, List.of(name)));
                isNotNull |= isPrimary;
            } else if (in.isAnyWord("check", "references")) {
                throw notBuiltConstraint();
            } else if (in.peek().kind() == Kind.WORD
                    && BEHIND_TYPE.contains(in.peek().text())) {
                throw new DefinitionReader.NotBuilt(in.peek().text().toUpperCase(Locale.ROOT) + " of a column");
            } else {
                throw in.syntaxError(in.peek());
            }
        }
        return new Statement.ColumnDefinition(name, type, isNotNull, byDefault, counted, List.copyOf(keys));
    }

    private boolean isEnd() {
        return in.isAtEnd() || in.peek().isSymbol(",") || in.peek().isSymbol(")");
    }

    private static boolean isBehindType(Lexeme lexeme) {
        return lexeme.isSymbol(",")
                || lexeme.isSymbol(")")
                || lexeme.kind() == Kind.WORD && BEHIND_TYPE.contains(lexeme.text());
    }

    /// What follows GENERATED.
    private Statement.CountedColumn identity() {
        Counter.Kind kind = Counter.Kind.BY_DEFAULT;
        if (in.acceptWord("always")) {
            kind = Counter.Kind.ALWAYS;
        } else {
            in.expectWord("by");
            in.expectWord("default");
        }
        in.expectWord("as");
        if (in.peek().isSymbol("(")) {
            throw new DefinitionReader.NotBuilt("a generated column");
        }
        in.expectWord("identity");
        Long start = null;
        long increment = 1;
        if (in.acceptSymbol("(")) {
            while (!in.acceptSymbol(")")) {
                if (in.acceptWord("start")) {
                    in.acceptWord("with");
                    start = number();
                } else if (in.acceptWord("increment")) {
                    in.acceptWord("by");
                    increment = number();
                } else if (in.acceptWord("cache")) {
                    number();
                } else if (in.isAnyWord("no")
                        && (in.next(1).isWord("cycle")
                                || in.next(1).isWord("minvalue")
                                || in.next(1).isWord("maxvalue"))) {
                    in.skip(2);
                } else if (in.isAnyWord("minvalue", "maxvalue", "cycle", "sequence", "owned", "as", "restart")) {
                    throw new DefinitionReader.NotBuilt(
                            in.peek().text().toUpperCase(Locale.ROOT) + " of an identity column");
                } else {
                    throw in.syntaxError(in.peek());
                }
            }
        }
        if (increment == 0) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "INCREMENT must not be zero");
        }
        return new Statement.CountedColumn(kind, start != null ? start : increment > 0 ? 1 : -1, increment);
    }

    private long number() {
        boolean isNegative = in.acceptSymbol("-");
        Lexeme number = in.peek();
        if (number.kind() != Kind.INTEGER) {
            throw in.syntaxError(number);
        }
        in.skip(1);
        try {
            return Long.parseLong(isNegative ? "-" + number.text() : number.text());
        } catch (NumberFormatException _) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                    "value \"" + number.text() + "\" is out of range for type bigint");
        }
    }

    /// An expression up to what ends it; null for NULL.
    ///
    /// - Errors: also 0A000 for a query within, 42P02 for a parameter.
    Statement.WrittenDefault expression() {
        int begin = in.place();
        int depth = 0;
        while (!in.isAtEnd()) {
            Lexeme lexeme = in.peek();
            boolean isBehind = lexeme.kind() == Kind.WORD && BEHIND_TYPE.contains(lexeme.text());
            if (depth == 0 && (lexeme.isSymbol(",") || lexeme.isSymbol(")") || isBehind && in.place() > begin)) {
                break;
            }
            depth += lexeme.isSymbol("(") || lexeme.isSymbol("[") ? 1 : 0;
            depth -= lexeme.isSymbol(")") || lexeme.isSymbol("]") ? 1 : 0;
            if (lexeme.kind() == Kind.PARAMETER) {
                throw new QueryException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $" + lexeme.text())
                        .withPosition(in.position(lexeme));
            }
            if (lexeme.isSymbol("(") && in.next(1).kind() == Kind.WORD && isQuery(in.next(1))) {
                throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cannot use subquery in DEFAULT expression")
                        .withPosition(in.position(lexeme));
            }
            in.skip(1);
        }
        List<Lexeme> read = in.lexemes(begin, in.place());
        if (read.isEmpty()) {
            throw in.syntaxError(in.peek());
        }
        if (read.size() == 1 && read.getFirst().isWord("null")) {
            return null;
        }
        boolean isString = read.size() == 1 && read.getFirst().kind() == Kind.STRING;
        return new Statement.WrittenDefault(
                ShownSql.of(in.text(), read), isString ? read.getFirst().text() : null);
    }

    private static boolean isQuery(Lexeme lexeme) {
        return Set.of("select", "with", "values", "table").contains(lexeme.text());
    }
}
