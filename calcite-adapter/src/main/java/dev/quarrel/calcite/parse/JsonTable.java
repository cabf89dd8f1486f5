package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.generated.GeneratedParser;
import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeFamily;

/// `JSON_TABLE(…)`, as a function in FROM.
public final class JsonTable extends SqlCall {
    public static final String NAME = "json_table";

    private static final SqlOperator OPERATOR = new SqlSpecialOperator("JSON_TABLE", SqlKind.OTHER_FUNCTION);

    /// What stands in COLUMNS.
    public sealed interface Item {}

    /// `name FOR ORDINALITY`, or a search in the row's item.
    ///
    /// @param search null for the row's number; its kind is JSON_VALUE where the type and the clauses decide
    public record Column(SqlIdentifier name, JsonExpression search) implements Item {}

    /// A path, and what is made of each item that it finds.
    ///
    /// @param path a string
    /// @param name of the path; null for none
    public record Level(SqlNode path, SqlIdentifier name, List<Item> items) implements Item {
        public List<Column> columns() {
            return items.stream()
                    .filter(Column.class::isInstance)
                    .map(Column.class::cast)
                    .toList();
        }

        public List<Level> below() {
            return items.stream()
                    .filter(Level.class::isInstance)
                    .map(Level.class::cast)
                    .toList();
        }
    }

    private final JsonExpression search;
    private final Level level;

    /// @param search the document, what is passed to paths, and ON ERROR
    public JsonTable(JsonExpression search, Level level) {
        super(search.getParserPosition());
        this.search = search;
        this.level = level;
    }

    public JsonExpression search() {
        return search;
    }

    public Level level() {
        return level;
    }

    @Override
    public SqlOperator getOperator() {
        return OPERATOR;
    }

    @Override
    public List<SqlNode> getOperandList() {
        List<SqlNode> nodes = new ArrayList<>();
        nodes.add(search);
        return nodes;
    }

    @Override
    public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
        search.unparse(writer, 0, 0);
    }

    /// Whether it begins at the next token.
    public static boolean isNext(GeneratedParser parser) {
        return Atoms.isWord(parser.getToken(1), NAME) && parser.getToken(2).kind == GeneratedParserConstants.LPAREN;
    }

    /// Whether a path of its own columns follows, and not a column that has the name.
    public static boolean isNestedNext(GeneratedParser parser) {
        // No token is looked at that the parser would not: the last one is where an error is.
        return Atoms.isWord(parser.getToken(1), "nested")
                && isString(parser, Atoms.isWord(parser.getToken(2), "path") ? 3 : 2);
    }

    public static boolean isPathNext(GeneratedParser parser) {
        return Atoms.isWord(parser.getToken(1), "path") && isString(parser, 2);
    }

    private static boolean isString(GeneratedParser parser, int at) {
        return parser.getToken(at).kind == GeneratedParserConstants.PG_ATOM
                && isString(Atoms.nodeOf(parser.getToken(at)));
    }

    /// Whether it is a string without a type.
    public static boolean isString(SqlNode node) {
        return node instanceof SqlLiteral literal && literal.getTypeName().getFamily() == SqlTypeFamily.CHARACTER;
    }

    public static JsonExpression.Draft begin(SqlParserPos pos) {
        return JsonExpression.begin(JsonExpression.Kind.JSON_QUERY, pos);
    }

    public static JsonExpression.Draft column(JsonExpression.Kind kind, SqlParserPos pos) {
        return JsonExpression.begin(kind, pos);
    }
}
