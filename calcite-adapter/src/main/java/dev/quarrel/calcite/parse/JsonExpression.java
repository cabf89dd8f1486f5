package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.parse.generated.GeneratedParser;
import dev.quarrel.calcite.parse.generated.GeneratedParserConstants;
import dev.quarrel.calcite.parse.generated.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;

/// A call of SQL/JSON's syntax: a constructor of json, an aggregate, or a search by a path.
public final class JsonExpression extends SqlCall {
    private static final SqlOperator OPERATOR = new SqlSpecialOperator("SQL_JSON", SqlKind.OTHER);

    /// What is called; its name is the word before the parenthesis.
    public enum Kind {
        JSON_OBJECT,
        JSON_ARRAY,
        JSON_OBJECTAGG,
        JSON_ARRAYAGG,
        JSON,
        JSON_SCALAR,
        JSON_SERIALIZE,
        JSON_EXISTS,
        JSON_VALUE,
        JSON_QUERY;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        private boolean isArray() {
            return this == JSON_ARRAY || this == JSON_ARRAYAGG;
        }
    }

    private static final Map<String, Kind> KINDS = kinds();

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new java.util.HashMap<>();
        for (Kind kind : Kind.values()) {
            kinds.put(kind.word(), kind);
        }
        return Map.copyOf(kinds);
    }

    /// When what is found is put into an array.
    public enum Wrapper {
        NONE,
        CONDITIONAL,
        ALWAYS
    }

    /// What stands for a result that there is not.
    public enum Outcome {
        ERROR,
        NULL,
        TRUE,
        FALSE,
        UNKNOWN,
        EMPTY_ARRAY,
        EMPTY_OBJECT,
        DEFAULT
    }

    /// ON EMPTY or ON ERROR.
    ///
    /// @param value of DEFAULT, else null
    public record Behavior(Outcome outcome, SqlNode value, SqlParserPos pos) {}

    /// FORMAT JSON.
    ///
    /// @param encoding null where it is not said
    public record Format(SqlParserPos pos, SqlIdentifier encoding) {
        public int at() {
            return pos.getColumnNum() - 1;
        }
    }

    /// An argument.
    ///
    /// @param format FORMAT JSON behind it; null for none
    public record Argument(SqlNode node, Format format) {
        public boolean isFormatted() {
            return format != null;
        }
    }

    /// A variable of a path.
    public record Variable(String name, Argument value) {}

    /// RETURNING.
    ///
    /// @param format null for none
    public record Returning(SqlDataTypeSpec type, Format format) {}

    private final Kind kind;
    private final Draft draft;

    private JsonExpression(SqlParserPos pos, Kind kind, Draft draft) {
        super(pos);
        this.kind = kind;
        this.draft = draft;
    }

    public Kind kind() {
        return kind;
    }

    /// The same clauses of another function.
    public JsonExpression as(Kind other) {
        return new JsonExpression(pos, other, draft);
    }

    /// Elements; keys and values by turns; or the document.
    public List<Argument> arguments() {
        return draft.arguments;
    }

    /// The query whose rows are elements; null for none.
    public SqlNode query() {
        return draft.query;
    }

    public SqlNode path() {
        return draft.path;
    }

    public List<Variable> variables() {
        return draft.variables;
    }

    /// Null where the type is not said.
    public Returning returning() {
        return draft.returning;
    }

    /// Whether values that are NULL are left out.
    public boolean isAbsentOnNull() {
        return draft.isAbsent == null ? kind.isArray() : draft.isAbsent;
    }

    public boolean isUnique() {
        return draft.isUnique;
    }

    /// Null where it is not said.
    public Wrapper wrapper() {
        return draft.wrapper;
    }

    public boolean omitsQuotes() {
        return Boolean.TRUE.equals(draft.omitsQuotes);
    }

    /// Whether what becomes of quotes is said.
    public boolean saysQuotes() {
        return draft.omitsQuotes != null;
    }

    /// Null where it is not said.
    public Behavior onEmpty() {
        return draft.onEmpty;
    }

    /// Null where it is not said.
    public Behavior onError() {
        return draft.onError;
    }

    public SqlNodeList order() {
        return draft.order;
    }

    /// Null for none.
    public SqlNode filter() {
        return draft.filter;
    }

    /// Null for no window.
    public SqlNode over() {
        return draft.over;
    }

    @Override
    public SqlOperator getOperator() {
        return OPERATOR;
    }

    @Override
    public List<SqlNode> getOperandList() {
        List<SqlNode> nodes = new ArrayList<>();
        draft.arguments.forEach(each -> nodes.add(each.node()));
        draft.variables.forEach(each -> nodes.add(each.value().node()));
        nodes.addAll(draft.order);
        for (SqlNode node : new SqlNode[] {draft.query, draft.path, draft.filter, draft.over}) {
            if (node != null) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    @Override
    public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
        writer.print(kind.word());
        getOperandList().forEach(node -> node.unparse(writer, 0, 0));
    }

    /// An aggregate as a call of a function: what is JSON in a text is parsed.
    public SqlCall asCall() {
        List<SqlNode> operands = new ArrayList<>();
        for (Argument argument : draft.arguments) {
            SqlNode node = argument.node();
            if (argument.isFormatted()) {
                Draft parsed = new Draft(Kind.JSON, node.getParserPosition());
                parsed.add(node);
                parsed.format(argument.format());
                node = parsed.end(node.getParserPosition());
            }
            operands.add(node);
        }
        SqlIdentifier name = new SqlIdentifier(kind.word(), pos);
        return new SqlUnresolvedFunction(name, null, null, null, null, SqlFunctionCategory.USER_DEFINED_FUNCTION)
                .createCall(pos, operands);
    }

    /// The query that makes an array of a query's one column.
    public SqlNode aggregateOfQuery() {
        SqlIdentifier column = new SqlIdentifier("a", pos);
        Draft elements = new Draft(Kind.JSON_ARRAYAGG, pos);
        elements.arguments.add(new Argument(column, null));
        elements.returning = draft.returning;
        SqlNode rows = SqlStdOperatorTable.AS.createCall(pos, draft.query, new SqlIdentifier("q", pos), column);
        return new PostgresSelect(
                pos,
                SqlNodeList.EMPTY,
                List.of(),
                SqlNodeList.of(elements.end(pos)),
                rows,
                null,
                null,
                null,
                SqlNodeList.EMPTY,
                null,
                null,
                null,
                null,
                SqlNodeList.EMPTY);
    }

    /// Whether such a call begins at the next token.
    public static boolean isNext(GeneratedParser parser) {
        Token word = parser.getToken(1);
        if (word.kind != GeneratedParserConstants.IDENTIFIER
                || parser.getToken(2).kind != GeneratedParserConstants.LPAREN) {
            return false;
        }
        Kind kind = KINDS.get(word.image);
        return kind != null && (kind != Kind.JSON_OBJECT || hasMembers(parser));
    }

    /// Whether `json_object(…)` is no function of arrays: it has members, or none and no argument.
    private static boolean hasMembers(GeneratedParser parser) {
        int depth = 0;
        for (int index = 3; ; index++) {
            Token token = parser.getToken(index);
            switch (token.kind) {
                case GeneratedParserConstants.LPAREN, GeneratedParserConstants.LBRACKET -> depth++;
                case GeneratedParserConstants.RPAREN, GeneratedParserConstants.RBRACKET -> {
                    if (depth-- == 0) {
                        return index == 3;
                    }
                }
                case GeneratedParserConstants.EOF -> {
                    return false;
                }
                case GeneratedParserConstants.COLON, GeneratedParserConstants.PG_RETURNING -> {
                    if (depth == 0) {
                        return true;
                    }
                }
                default -> {
                    boolean isBetween = index > 3 && parser.getToken(index + 1).kind != GeneratedParserConstants.COMMA;
                    if (depth == 0 && isBetween && Atoms.isWord(token, "value")) {
                        return true;
                    }
                }
            }
        }
    }

    public static boolean isObject(Token word) {
        Kind kind = KINDS.get(word.image);
        return kind == Kind.JSON_OBJECT || kind == Kind.JSON_OBJECTAGG;
    }

    public static boolean isArray(Token word) {
        Kind kind = KINDS.get(word.image);
        return kind != null && kind.isArray();
    }

    public static boolean isSearch(Token word) {
        Kind kind = KINDS.get(word.image);
        return kind == Kind.JSON_EXISTS || kind == Kind.JSON_VALUE || kind == Kind.JSON_QUERY;
    }

    /// Whether a query stands in parentheses that have just been opened.
    public static boolean isQueryNext(GeneratedParser parser) {
        int at = 1;
        while (parser.getToken(at).kind == GeneratedParserConstants.LPAREN) {
            at++;
        }
        int kind = parser.getToken(at).kind;
        return at == 1
                && (kind == GeneratedParserConstants.SELECT
                        || kind == GeneratedParserConstants.VALUES
                        || kind == GeneratedParserConstants.WITH);
    }

    /// Whether an argument is next, and not the end or what stands behind arguments.
    public static boolean isValueNext(GeneratedParser parser) {
        Token next = parser.getToken(1);
        Token behind = parser.getToken(2);
        return switch (next.kind) {
            case GeneratedParserConstants.RPAREN, GeneratedParserConstants.PG_RETURNING -> false;
            case GeneratedParserConstants.NULL -> behind.kind != GeneratedParserConstants.ON;
            default -> !(Atoms.isWord(next, "absent") && behind.kind == GeneratedParserConstants.ON);
        };
    }

    public static boolean isFormatNext(GeneratedParser parser) {
        return Atoms.isWord(parser.getToken(1), "format") && Atoms.isWord(parser.getToken(2), "json");
    }

    public static boolean isBehaviorNext(GeneratedParser parser) {
        Token next = parser.getToken(1);
        return switch (next.kind) {
            case GeneratedParserConstants.DEFAULT_,
                    GeneratedParserConstants.NULL,
                    GeneratedParserConstants.TRUE,
                    GeneratedParserConstants.FALSE -> true;
            default -> Atoms.isWord(next, "error") || Atoms.isWord(next, "unknown") || Atoms.isWord(next, "empty");
        };
    }

    public static Draft begin(Token word, SqlParserPos pos) {
        return new Draft(KINDS.get(word.image), pos);
    }

    static Draft begin(Kind kind, SqlParserPos pos) {
        return new Draft(kind, pos);
    }

    /// A call in the making.
    public static final class Draft {
        private final Kind kind;
        private final SqlParserPos pos;
        private final List<Argument> arguments = new ArrayList<>();
        private final List<Variable> variables = new ArrayList<>();
        private SqlNode query;
        private SqlNode path;
        private Returning returning;
        private Boolean isAbsent;
        private boolean isUnique;
        private Wrapper wrapper;
        private Boolean omitsQuotes; // null where it is not said
        private Behavior onEmpty;
        private Behavior onError;
        private SqlNodeList order = SqlNodeList.EMPTY;
        private SqlNode filter;
        private SqlNode over;

        private Draft(Kind kind, SqlParserPos pos) {
            this.kind = kind;
            this.pos = pos;
        }

        public void add(SqlNode node) {
            arguments.add(new Argument(node, null));
        }

        /// What was added last is JSON in a text.
        public void format(Format format) {
            arguments.add(new Argument(arguments.removeLast().node(), format));
        }

        public void query(SqlNode node) {
            query = node;
        }

        public void path(SqlNode node) {
            path = node;
        }

        /// What was added last is a variable's value.
        public void passed(SqlIdentifier name) {
            variables.add(new Variable(name.getSimple(), arguments.removeLast()));
        }

        public void returning(SqlDataTypeSpec type, Format format) {
            returning = new Returning(type, format);
        }

        public void nulls(boolean areAbsent) {
            isAbsent = areAbsent;
        }

        public void unique() {
            isUnique = true;
        }

        public void wrapper(Wrapper value) {
            wrapper = value;
        }

        public void quotes(boolean areOmitted) {
            omitsQuotes = areOmitted;
        }

        public void onEmpty(Behavior behavior) {
            onEmpty = behavior;
        }

        public void onError(Behavior behavior) {
            onError = behavior;
        }

        public void order(SqlNodeList keys) {
            order = keys;
        }

        public void filter(SqlNode condition) {
            filter = condition;
        }

        public void over(SqlNode window) {
            over = window;
        }

        public JsonExpression end(SqlParserPos end) {
            return new JsonExpression(pos.plus(end), kind, this);
        }
    }
}
