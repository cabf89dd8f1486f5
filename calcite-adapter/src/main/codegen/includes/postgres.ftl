<#--
// Licensed to the Apache Software Foundation (ASF) under one or more
// contributor license agreements.  See the NOTICE file distributed with
// this work for additional information regarding copyright ownership.
// The ASF licenses this file to you under the Apache License, Version 2.0
// (the "License"); you may not use this file except in compliance with
// the License.  You may obtain a copy of the License at
//
// http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.
//
// InfixCast follows Calcite's Babel parser; the rest is Quarrel's.
-->

/** A string, typed literal or parameter: the lexer has made the node. */
SqlNode PostgresAtom() :
{
}
{
    <PG_ATOM> {
        return Atoms.nodeOf(token);
    }
}

/** The infix "::" cast operator. */
void InfixCast(List<Object> list, ExprContext exprContext, Span s) :
{
    final SqlDataTypeSpec type;
    final SqlParserPos pos;
}
{
    <INFIX_CAST> {
        checkNonQueryExpression(exprContext);
        pos = getPos();
    }
    type = DataType() {
        list.add(new SqlParserUtil.ToTreeListItem(SqlLibraryOperators.INFIX_CAST, pos));
        list.add(type);
    }
}

/** Operators that Calcite's grammar lacks or gives another precedence; OPERATOR(schema.op) too. */
void PostgresOperator(List<Object> list, ExprContext exprContext, Span s) :
{
    final SqlBinaryOperator op;
}
{
    (
        <PG_OPERATOR> { op = PostgresOperators.binary(token.image); }
    |
        <PG_AT_TIME_ZONE> { op = PostgresOperators.AT_TIME_ZONE; }
    )
    {
        checkNonQueryExpression(exprContext);
        list.add(new SqlParserUtil.ToTreeListItem(op, getPos()));
    }
    AddExpression2b(list, ExprContext.ACCEPT_SUB_QUERY)
}

/** x LIKE ANY (...), x ~ ALL (...): comparisons are in Calcite's grammar. */
void PostgresQuantified(List<Object> list, ExprContext exprContext, Span s) :
{
    final String symbol;
    boolean negated = false;
    final boolean all;
    final SqlNodeList right;
}
{
    (
        [ <NOT> { negated = true; } ]
        (
            <LIKE> { symbol = negated ? "!~~" : "~~"; }
        |
            <ILIKE> { symbol = negated ? "!~~*" : "~~*"; }
        )
    |
        ( <PG_OPERATOR> | <PLUS> | <MINUS> | <STAR> | <SLASH> | <PERCENT_REMAINDER> ) { symbol = token.image; }
    )
    {
        checkNonQueryExpression(exprContext);
        s.clear().add(this);
    }
    (
        ( <ANY> | <SOME> ) { all = false; }
    |
        <ALL> { all = true; }
    )
    right = ParenthesizedQueryOrCommaList(ExprContext.ACCEPT_NONCURSOR) {
        list.add(new SqlParserUtil.ToTreeListItem(new Quantified(symbol, all), s.pos()));
        list.add(right.size() == 1 && right.get(0).isA(SqlKind.QUERY) ? right.get(0) : right);
    }
}

/** What stands before IN in POSITION: operands with operators that are no words, and bind closer than comparisons. */
SqlNode PostgresRestrictedExpression() :
{
    final List<Object> list = new ArrayList<Object>();
    final Span s = span();
    SqlOperator op;
}
{
    AddExpression2b(list, ExprContext.ACCEPT_SUB_QUERY)
    (
        InfixCast(list, ExprContext.ACCEPT_SUB_QUERY, s)
    |
        PostgresOperator(list, ExprContext.ACCEPT_SUB_QUERY, s)
    |
        PostgresCollate(list, ExprContext.ACCEPT_SUB_QUERY, s)
    |
        (
            <PLUS> { op = SqlStdOperatorTable.PLUS; }
        |
            <MINUS> { op = SqlStdOperatorTable.MINUS; }
        |
            <STAR> { op = SqlStdOperatorTable.MULTIPLY; }
        |
            <SLASH> { op = SqlStdOperatorTable.DIVIDE; }
        |
            <PERCENT_REMAINDER> { op = SqlStdOperatorTable.PERCENT_REMAINDER; }
        )
        { list.add(new SqlParserUtil.ToTreeListItem(op, getPos())); }
        AddExpression2b(list, ExprContext.ACCEPT_SUB_QUERY)
    )*
    { return (SqlNode) SqlParserUtil.toTree(list); }
}

/** COLLATE name. */
void PostgresCollate(List<Object> list, ExprContext exprContext, Span s) :
{
    final SqlParserPos pos;
    final SqlIdentifier name;
}
{
    <PG_COLLATE> {
        checkNonQueryExpression(exprContext);
        pos = getPos();
    }
    name = CompoundIdentifier() {
        list.add(new SqlParserUtil.ToTreeListItem(PostgresOperators.COLLATE, pos));
        list.add(name);
    }
}

/** A type name of one word or more, its modifiers, and its array dimensions. */
SqlTypeNameSpec PostgresType() :
{
    final SqlIdentifier name;
    final List<SqlNode> modifiers = new ArrayList<SqlNode>();
    Boolean zone = null;
    int dimensions = 0;
    final Span s;
}
{
    name = CompoundIdentifier() { s = Span.of(name); }
    [
        LOOKAHEAD(1)
        <LPAREN> AddExpressions(modifiers, ExprContext.ACCEPT_NON_QUERY) <RPAREN>
    ]
    [
        <PG_WITH_TIME_ZONE> { zone = true; }
    |
        <PG_WITHOUT_TIME_ZONE> { zone = false; }
    ]
    (
        <ARRAY> [ LOOKAHEAD(2) <LBRACKET> UnsignedIntLiteral() <RBRACKET> ] { dimensions = 1; }
    |
        (
            LOOKAHEAD(2)
            <LBRACKET> [ UnsignedIntLiteral() ] <RBRACKET> { dimensions++; }
        )*
    )
    {
        return new PostgresTypeName(name, modifiers, zone, dimensions, s.end(this));
    }
}

/** f(...) or ROWS FROM (f(...), g(...)), WITH ORDINALITY, and a list of column definitions. */
SqlNode PostgresTableFunction() :
{
    final List<SqlNode> calls = new ArrayList<SqlNode>();
    final SqlNodeList definitions = new SqlNodeList(SqlParserPos.ZERO);
    final List<SqlDataTypeSpec> types = new ArrayList<SqlDataTypeSpec>();
    SqlIdentifier alias = null;
    boolean isRows = false;
    boolean isNumbered = false;
    SqlNode e;
    final Span s;
}
{
    [ <LATERAL> ]
    (
        LOOKAHEAD({ JsonTable.isNext(this) })
        e = PostgresJsonTable() {
            return new TableFunction(e.getParserPosition(), ImmutableList.of(e), false, false, null, definitions, types);
        }
    |
        LOOKAHEAD({ getToken(1).kind == ROWS })
        <ROWS> { s = span(); isRows = true; } <FROM> <LPAREN>
        e = AtomicRowExpression() { calls.add(e); }
        [ <AS> PostgresColumnDefinitions(definitions, types) ]
        (
            <COMMA> e = AtomicRowExpression() { calls.add(e); }
            [ <AS> PostgresColumnDefinitions(definitions, types) ]
        )*
        <RPAREN>
    |
        e = AtomicRowExpression() { calls.add(e); s = Span.of(e); }
    )
    [ <ORDINALITY> { isNumbered = true; } ]
    [
        LOOKAHEAD({ TableFunction.hasDefinitionsNext(this) })
        [ <AS> ]
        [ alias = SimpleIdentifier() ]
        PostgresColumnDefinitions(definitions, types)
    ]
    { return new TableFunction(s.end(this), calls, isRows, isNumbered, alias, definitions, types); }
}

/** SEARCH DEPTH FIRST BY a, b SET c; SEARCH BREADTH FIRST ... */
void PostgresSearch(PostgresWithItem item) :
{
    final SqlParserPos pos;
    final boolean isDepthFirst;
    final List<SqlIdentifier> columns;
    final SqlIdentifier set;
}
{
    PostgresWord("search") { pos = getPos(); isDepthFirst = Atoms.isWord(getToken(1), "depth"); }
    (
        LOOKAHEAD({ isDepthFirst })
        PostgresWord("depth")
    |
        PostgresWord("breadth")
    )
    PostgresWord("first") PostgresWord("by")
    columns = PostgresNames()
    PostgresWord("set") set = SimpleIdentifier()
    { item.search(new PostgresWithItem.Search(pos, isDepthFirst, columns, set)); }
}

/** CYCLE a, b SET mark TO x DEFAULT y USING path. */
void PostgresCycle(PostgresWithItem item) :
{
    final SqlParserPos pos;
    final List<SqlIdentifier> columns;
    final SqlIdentifier mark;
    SqlNode value = null;
    SqlNode otherwise = null;
    final SqlIdentifier path;
}
{
    PostgresWord("cycle") { pos = getPos(); }
    columns = PostgresNames()
    PostgresWord("set") mark = SimpleIdentifier()
    [
        <TO> value = Expression3(ExprContext.ACCEPT_NON_QUERY)
        <DEFAULT_> otherwise = Expression3(ExprContext.ACCEPT_NON_QUERY)
    ]
    <USING> path = SimpleIdentifier()
    { item.cycle(new PostgresWithItem.Cycle(pos, columns, mark, value, otherwise, path)); }
}

List<SqlIdentifier> PostgresNames() :
{
    final List<SqlIdentifier> names = new ArrayList<SqlIdentifier>();
    SqlIdentifier name;
}
{
    name = SimpleIdentifier() { names.add(name); }
    ( <COMMA> name = SimpleIdentifier() { names.add(name); } )*
    { return names; }
}

/** ONLY t or ONLY (t): a table without those that inherit of it. */
SqlNode PostgresOnly() :
{
    final SqlNode name;
    final Span span;
}
{
    <ONLY> { span = span(); }
    (
        name = CompoundTableIdentifier()
    |
        <LPAREN> name = CompoundTableIdentifier() <RPAREN>
    )
    { return PostgresOperators.ONLY.createCall(span.end(this), name); }
}

/** (a int, b text): the names and the types. */
void PostgresColumnDefinitions(SqlNodeList definitions, List<SqlDataTypeSpec> types) :
{
    SqlIdentifier name;
    SqlDataTypeSpec type;
}
{
    <LPAREN> name = SimpleIdentifier() type = DataType() { definitions.add(name); types.add(type); }
    ( <COMMA> name = SimpleIdentifier() type = DataType() { definitions.add(name); types.add(type); } )*
    <RPAREN>
}

/** The items of ARRAY[a, b], and of the arrays [c, d] in it. */
SqlNode PostgresArrayItems(Span s) :
{
    final List<SqlNode> items = new ArrayList<SqlNode>();
    SqlNode e;
}
{
    <LBRACKET>
    [
        e = PostgresArrayItem() { items.add(e); }
        ( <COMMA> e = PostgresArrayItem() { items.add(e); } )*
    ]
    <RBRACKET> {
        return SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR.createCall(s.end(this), items);
    }
}

SqlNode PostgresArrayItem() :
{
    SqlNode e;
}
{
    (
        LOOKAHEAD({ getToken(1).kind == LBRACKET })
        e = PostgresArrayItems(Span.of(getPos()))
    |
        e = Expression(ExprContext.ACCEPT_SUB_QUERY)
    ) {
        return e;
    }
}

/** What stands in an array's brackets: i, i:j, i:, :j or :. */
SqlNode PostgresSubscript() :
{
    SqlNode lower = SqlNodeList.EMPTY;
    SqlNode upper = SqlNodeList.EMPTY;
    boolean isSlice = false;
}
{
    [
        LOOKAHEAD({ getToken(1).kind != COLON && getToken(1).kind != RBRACKET })
        lower = Expression(ExprContext.ACCEPT_SUB_QUERY)
    ]
    [
        <COLON> { isSlice = true; }
        [
            LOOKAHEAD({ getToken(1).kind != RBRACKET })
            upper = Expression(ExprContext.ACCEPT_SUB_QUERY)
        ]
    ] {
        if (isSlice) {
            return PostgresOperators.SLICE.createCall(getPos(), lower, upper);
        }
        if (lower == SqlNodeList.EMPTY) {
            throw generateParseException();
        }
        return lower;
    }
}

/** ORDER BY, LIMIT, OFFSET, FETCH and row locks behind a query, in the orders that PostgreSQL takes. */
SqlNode PostgresTail(SqlNode e) :
{
    SqlNodeList orderBy = null;
    final TailedQuery.Limits limits = new TailedQuery.Limits();
    final List<Lock> locks = new ArrayList<Lock>();
    final int from = getToken(0).endColumn;
}
{
    [ LOOKAHEAD(1) orderBy = OrderBy(e.isA(SqlKind.QUERY)) ]
    [ LOOKAHEAD(1) PostgresLocks(locks) ]
    [
        PostgresLimit(limits) [ PostgresOffset(limits) ]
    |
        PostgresOffset(limits) [ PostgresLimit(limits) ]
    ]
    [ PostgresLocks(locks) ]
    {
        if (getToken(0).endColumn == from) {
            return e;
        }
        if (!e.isA(SqlKind.QUERY)) {
            throw generateParseException();
        }
        return new TailedQuery(getPos(), e, orderBy, limits, locks);
    }
}

void PostgresOffset(TailedQuery.Limits limits) :
{
}
{
    <OFFSET> { limits.offsetAt = getToken(0).beginColumn - 1; }
    limits.offset = Expression(ExprContext.ACCEPT_SUB_QUERY)
    [ <ROW> | <ROWS> ]
}

void PostgresLimit(TailedQuery.Limits limits) :
{
}
{
    <LIMIT> { limits.fetchAt = getToken(0).beginColumn - 1; }
    (
        <ALL>
    |
        limits.fetch = Expression(ExprContext.ACCEPT_SUB_QUERY)
        [ LOOKAHEAD(1) <COMMA> limits.to = Expression(ExprContext.ACCEPT_SUB_QUERY) ]
    )
|
    <FETCH> { limits.fetchAt = getToken(0).beginColumn - 1; }
    ( <FIRST> | <NEXT> )
    (
        LOOKAHEAD({ getToken(1).kind == ROW || getToken(1).kind == ROWS })
        { limits.fetch = LITERAL_ONE; }
    |
        limits.fetch = Expression3(ExprContext.ACCEPT_SUB_QUERY)
    )
    ( <ROW> | <ROWS> )
    ( <ONLY> | <WITH> { limits.tiesAt = getToken(0).beginColumn - 1; } PostgresWord("ties") )
}

/** FOR UPDATE and its like; FOR READ ONLY is none. */
void PostgresLocks(List<Lock> locks) :
{
    Lock lock;
}
{
    (
        LOOKAHEAD({ getToken(1).kind == FOR && Atoms.isWord(getToken(2), "read") })
        <FOR> PostgresWord("read") <ONLY>
    |
        lock = PostgresLock() { locks.add(lock); }
    )
    ( LOOKAHEAD(1) lock = PostgresLock() { locks.add(lock); } )*
}

Lock PostgresLock() :
{
    final Lock.Strength strength;
    final List<SqlIdentifier> tables = new ArrayList<SqlIdentifier>();
    SqlIdentifier table;
    boolean skips = false;
}
{
    <FOR>
    (
        LOOKAHEAD({ Atoms.isWord(getToken(1), "no") })
        PostgresWord("no") PostgresWord("key") PostgresWord("update") { strength = Lock.Strength.NO_KEY_UPDATE; }
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "share") })
        PostgresWord("share") { strength = Lock.Strength.SHARE; }
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "key") })
        PostgresWord("key") PostgresWord("share") { strength = Lock.Strength.KEY_SHARE; }
    |
        PostgresWord("update") { strength = Lock.Strength.UPDATE; }
    )
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "of") })
        PostgresWord("of")
        table = CompoundTableIdentifier() { tables.add(table); }
        ( LOOKAHEAD(1) <COMMA> table = CompoundTableIdentifier() { tables.add(table); } )*
    ]
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "nowait") })
        PostgresWord("nowait")
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "skip") })
        PostgresWord("skip") PostgresWord("locked") { skips = true; }
    ]
    { return new Lock(strength, tables, skips); }
}

/** A word that is a keyword in this place alone. */
void PostgresWord(String word) :
{
}
{
    <IDENTIFIER> {
        if (!Atoms.isWord(getToken(0), word)) {
            throw generateParseException();
        }
    }
}

/** An order by an operator. */
SqlNode PostgresSortUsing(SqlNode e) :
{
}
{
    <USING>
    (
        <LT> | <GT> | <LE> | <GE> | <EQ> | <NE> | <PLUS> | <MINUS> | <STAR> | <SLASH> | <PERCENT_REMAINDER>
    |
        <PG_OPERATOR> | <PG_PREFIX_OPERATOR>
    )
    { return PostgresOperators.SORT_USING.createCall(getPos(), e, SqlLiteral.createCharString(token.image, getPos())); }
}

/** TABLESAMPLE method (arguments) [REPEATABLE (seed)]. */
SqlNode PostgresSample(SqlNode tableRef) :
{
    final SqlIdentifier method;
    final List<SqlNode> arguments = new ArrayList<SqlNode>();
    SqlNode seed = null;
    final Span s;
}
{
    <TABLESAMPLE> { s = span(); checkNotJoin(tableRef); }
    method = CompoundIdentifier()
    <LPAREN> AddExpressions(arguments, ExprContext.ACCEPT_SUB_QUERY) <RPAREN>
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "repeatable") })
        PostgresWord("repeatable")
        <LPAREN> seed = Expression(ExprContext.ACCEPT_SUB_QUERY) <RPAREN>
    ]
    {
        return PostgresOperators.SAMPLE.createCall(
            s.end(this), tableRef, method, new SqlNodeList(arguments, s.end(this)), seed);
    }
}

/** json_object, json_array, json_value and what else SQL/JSON has a syntax of its own for. */
SqlNode PostgresJson() :
{
    final JsonExpression.Draft draft;
    SqlNode e;
}
{
    (
        LOOKAHEAD({ JsonExpression.isObject(getToken(1)) })
        draft = PostgresJsonName() <LPAREN> PostgresJsonMembers(draft)
    |
        LOOKAHEAD({ JsonExpression.isArray(getToken(1)) })
        draft = PostgresJsonName() <LPAREN> PostgresJsonElements(draft)
    |
        LOOKAHEAD({ JsonExpression.isSearch(getToken(1)) })
        draft = PostgresJsonName() <LPAREN> PostgresJsonSearch(draft)
    |
        draft = PostgresJsonName() <LPAREN>
        PostgresJsonValue(draft) PostgresJsonUnique(draft) PostgresJsonReturning(draft)
    )
    <RPAREN>
    [ LOOKAHEAD(2) <FILTER> <LPAREN> <WHERE> e = Expression(ExprContext.ACCEPT_SUB_QUERY) { draft.filter(e); } <RPAREN> ]
    [
        LOOKAHEAD(1)
        <OVER> ( e = SimpleIdentifier() | e = WindowSpecification() ) { draft.over(e); }
    ]
    { return draft.end(getPos()); }
}

JsonExpression.Draft PostgresJsonName() :
{
}
{
    <IDENTIFIER> { return JsonExpression.begin(getToken(0), getPos()); }
}

void PostgresJsonMembers(JsonExpression.Draft draft) :
{
}
{
    [
        LOOKAHEAD({ JsonExpression.isValueNext(this) })
        PostgresJsonMember(draft) ( <COMMA> PostgresJsonMember(draft) )*
    ]
    PostgresJsonNulls(draft)
    PostgresJsonUnique(draft)
    PostgresJsonReturning(draft)
}

void PostgresJsonMember(JsonExpression.Draft draft) :
{
    SqlNode e;
}
{
    e = Expression(ExprContext.ACCEPT_SUB_QUERY) { draft.add(e); }
    ( <COLON> | PostgresWord("value") )
    PostgresJsonValue(draft)
}

void PostgresJsonElements(JsonExpression.Draft draft) :
{
    SqlNode e;
    SqlNodeList order;
}
{
    [
        LOOKAHEAD({ JsonExpression.isQueryNext(this) })
        e = OrderedQueryOrExpr(ExprContext.ACCEPT_QUERY) { draft.query(e); }
    |
        LOOKAHEAD({ JsonExpression.isValueNext(this) })
        PostgresJsonValue(draft) ( <COMMA> PostgresJsonValue(draft) )*
    ]
    [ LOOKAHEAD(1) order = OrderBy(true) { draft.order(order); } ]
    PostgresJsonNulls(draft)
    PostgresJsonReturning(draft)
}

/** An expression, which may be JSON in a text. */
void PostgresJsonValue(JsonExpression.Draft draft) :
{
    SqlNode e;
    JsonExpression.Format format;
}
{
    e = Expression(ExprContext.ACCEPT_SUB_QUERY) { draft.add(e); }
    [ LOOKAHEAD({ JsonExpression.isFormatNext(this) }) format = PostgresJsonFormat() { draft.format(format); } ]
}

JsonExpression.Format PostgresJsonFormat() :
{
    final SqlParserPos pos;
    SqlIdentifier encoding = null;
}
{
    PostgresWord("format") { pos = getPos(); } PostgresWord("json")
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "encoding") })
        PostgresWord("encoding") encoding = SimpleIdentifier()
    ]
    { return new JsonExpression.Format(pos, encoding); }
}

void PostgresJsonNulls(JsonExpression.Draft draft) :
{
}
{
    [
        LOOKAHEAD({ getToken(1).kind == NULL && getToken(2).kind == ON })
        <NULL> <ON> <NULL> { draft.nulls(false); }
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "absent") })
        PostgresWord("absent") <ON> <NULL> { draft.nulls(true); }
    ]
}

void PostgresJsonUnique(JsonExpression.Draft draft) :
{
}
{
    [
        LOOKAHEAD({ getToken(1).kind == WITH })
        <WITH> <UNIQUE> [ LOOKAHEAD({ Atoms.isWord(getToken(1), "keys") }) PostgresWord("keys") ] { draft.unique(); }
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "without") })
        PostgresWord("without") <UNIQUE> [ LOOKAHEAD({ Atoms.isWord(getToken(1), "keys") }) PostgresWord("keys") ]
    ]
}

void PostgresJsonReturning(JsonExpression.Draft draft) :
{
    SqlDataTypeSpec type;
    JsonExpression.Format format = null;
}
{
    [
        LOOKAHEAD({ getToken(1).kind == PG_RETURNING })
        <PG_RETURNING> type = DataType()
        [ LOOKAHEAD({ JsonExpression.isFormatNext(this) }) format = PostgresJsonFormat() ]
        { draft.returning(type, format); }
    ]
}

/** A document, a path, and what becomes of what the path finds. */
void PostgresJsonSearch(JsonExpression.Draft draft) :
{
    SqlNode e;
}
{
    PostgresJsonValue(draft)
    <COMMA> e = Expression(ExprContext.ACCEPT_SUB_QUERY) { draft.path(e); }
    PostgresJsonPassing(draft)
    PostgresJsonReturning(draft)
    PostgresJsonOutcome(draft)
}

void PostgresJsonPassing(JsonExpression.Draft draft) :
{
}
{
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "passing") })
        PostgresWord("passing")
        PostgresJsonVariable(draft) ( <COMMA> PostgresJsonVariable(draft) )*
    ]
}

void PostgresJsonVariable(JsonExpression.Draft draft) :
{
    SqlIdentifier name;
}
{
    PostgresJsonValue(draft) <AS> name = SimpleIdentifier() { draft.passed(name); }
}

/** WRAPPER, QUOTES, ON EMPTY, ON ERROR. */
void PostgresJsonOutcome(JsonExpression.Draft draft) :
{
    boolean isConditional = false;
}
{
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "without") })
        PostgresWord("without") [ <ARRAY> ] PostgresWord("wrapper") { draft.wrapper(JsonExpression.Wrapper.NONE); }
    |
        LOOKAHEAD({ getToken(1).kind == WITH })
        <WITH>
        [
            LOOKAHEAD({ Atoms.isWord(getToken(1), "conditional") })
            PostgresWord("conditional") { isConditional = true; }
        |
            LOOKAHEAD({ Atoms.isWord(getToken(1), "unconditional") })
            PostgresWord("unconditional")
        ]
        [ <ARRAY> ]
        PostgresWord("wrapper")
        { draft.wrapper(isConditional ? JsonExpression.Wrapper.CONDITIONAL : JsonExpression.Wrapper.ALWAYS); }
    ]
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "keep") || Atoms.isWord(getToken(1), "omit") })
        <IDENTIFIER> { draft.quotes(Atoms.isWord(getToken(0), "omit")); }
        PostgresWord("quotes")
        [ <ON> PostgresWord("scalar") PostgresWord("string") ]
    ]
    (
        LOOKAHEAD({ JsonExpression.isBehaviorNext(this) })
        PostgresJsonBehavior(draft)
    )*
}

void PostgresJsonBehavior(JsonExpression.Draft draft) :
{
    final JsonExpression.Outcome outcome;
    final SqlParserPos pos;
    SqlNode e = null;
}
{
    { pos = new SqlParserPos(getToken(1).beginLine, getToken(1).beginColumn); }
    (
        <DEFAULT_> e = Expression(ExprContext.ACCEPT_SUB_QUERY) { outcome = JsonExpression.Outcome.DEFAULT; }
    |
        <NULL> { outcome = JsonExpression.Outcome.NULL; }
    |
        <TRUE> { outcome = JsonExpression.Outcome.TRUE; }
    |
        <FALSE> { outcome = JsonExpression.Outcome.FALSE; }
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "error") })
        PostgresWord("error") { outcome = JsonExpression.Outcome.ERROR; }
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "unknown") })
        PostgresWord("unknown") { outcome = JsonExpression.Outcome.UNKNOWN; }
    |
        LOOKAHEAD({ Atoms.isWord(getToken(1), "empty") && Atoms.isWord(getToken(2), "object") })
        PostgresWord("empty") PostgresWord("object") { outcome = JsonExpression.Outcome.EMPTY_OBJECT; }
    |
        PostgresWord("empty") [ <ARRAY> ] { outcome = JsonExpression.Outcome.EMPTY_ARRAY; }
    )
    <ON>
    (
        LOOKAHEAD({ Atoms.isWord(getToken(1), "empty") })
        PostgresWord("empty") { draft.onEmpty(new JsonExpression.Behavior(outcome, e, pos)); }
    |
        PostgresWord("error") { draft.onError(new JsonExpression.Behavior(outcome, e, pos)); }
    )
}

/** JSON_TABLE(document, path PASSING ... COLUMNS (...) ... ON ERROR). */
SqlNode PostgresJsonTable() :
{
    final JsonExpression.Draft draft;
    SqlIdentifier name = null;
    SqlNode path;
    final List<JsonTable.Item> items;
}
{
    <IDENTIFIER> { draft = JsonTable.begin(getPos()); }
    <LPAREN>
    PostgresJsonValue(draft)
    <COMMA> path = Expression(ExprContext.ACCEPT_SUB_QUERY)
    [ <AS> name = SimpleIdentifier() ]
    PostgresJsonPassing(draft)
    items = PostgresJsonColumns()
    [
        LOOKAHEAD({ JsonExpression.isBehaviorNext(this) })
        PostgresJsonBehavior(draft)
    ]
    <RPAREN>
    { return new JsonTable(draft.end(getPos()), new JsonTable.Level(path, name, items)); }
}

List<JsonTable.Item> PostgresJsonColumns() :
{
    final List<JsonTable.Item> items = new ArrayList<JsonTable.Item>();
    JsonTable.Item item;
}
{
    PostgresWord("columns")
    <LPAREN>
    item = PostgresJsonColumn() { items.add(item); }
    ( <COMMA> item = PostgresJsonColumn() { items.add(item); } )*
    <RPAREN>
    { return items; }
}

JsonTable.Item PostgresJsonColumn() :
{
    SqlIdentifier name = null;
    final SqlNode path;
    final List<JsonTable.Item> items;
    final SqlDataTypeSpec type;
    final JsonExpression.Draft draft;
    final JsonExpression.Format format;
}
{
    LOOKAHEAD({ JsonTable.isNestedNext(this) })
    PostgresWord("nested")
    [ LOOKAHEAD({ Atoms.isWord(getToken(1), "path") }) PostgresWord("path") ]
    path = PostgresAtom()
    [ <AS> name = SimpleIdentifier() ]
    items = PostgresJsonColumns()
    { return new JsonTable.Level(path, name, items); }
|
    name = SimpleIdentifier()
    (
        <FOR> PostgresWord("ordinality")
        { return new JsonTable.Column(name, null); }
    |
        type = DataType()
        (
            LOOKAHEAD({ Atoms.isWord(getToken(1), "exists") })
            PostgresWord("exists") { draft = JsonTable.column(JsonExpression.Kind.JSON_EXISTS, name.getParserPosition()); }
            { draft.returning(type, null); }
            PostgresJsonColumnPath(draft)
            [ LOOKAHEAD({ JsonExpression.isBehaviorNext(this) }) PostgresJsonBehavior(draft) ]
        |
            LOOKAHEAD({ JsonExpression.isFormatNext(this) })
            format = PostgresJsonFormat()
            { draft = JsonTable.column(JsonExpression.Kind.JSON_QUERY, name.getParserPosition()); }
            { draft.returning(type, format); }
            PostgresJsonColumnPath(draft)
            PostgresJsonOutcome(draft)
        |
            { draft = JsonTable.column(JsonExpression.Kind.JSON_VALUE, name.getParserPosition()); }
            { draft.returning(type, null); }
            PostgresJsonColumnPath(draft)
            PostgresJsonOutcome(draft)
        )
        { return new JsonTable.Column(name, draft.end(getPos())); }
    )
}

void PostgresJsonColumnPath(JsonExpression.Draft draft) :
{
    SqlNode e;
}
{
    [
        LOOKAHEAD({ JsonTable.isPathNext(this) })
        PostgresWord("path") e = PostgresAtom() { draft.path(e); }
    ]
}


/**
 * ASOF [LEFT | INNER] JOIN b [ON condition | ON (names) | USING (names)] [TOLERANCE 1s]; LT and SPLICE alike.
 * WINDOW JOIN b [ON condition | ON (names)] RANGE BETWEEN ...
 */
SqlNode PostgresSeriesJoin(SqlNode e) :
{
    final SeriesJoin.Draft draft = new SeriesJoin.Draft();
    SqlNode e2;
}
{
    <PG_SERIES_JOIN> { draft.word = token.image; draft.pos = getPos(); }
    [ <LEFT> [ <OUTER> ] { draft.isLeft = true; } | <INNER> { draft.isInner = true; } ]
    <JOIN>
    e2 = TableRef1(ExprContext.ACCEPT_QUERY_OR_JOIN)
    [
        <ON>
        (
            LOOKAHEAD({ SeriesWords.isNameListNext(this) })
            draft.names = ParenthesizedSimpleIdentifierList()
        |
            draft.condition = Expression(ExprContext.ACCEPT_SUB_QUERY)
        )
    |
        <USING> draft.names = ParenthesizedSimpleIdentifierList() { draft.isUsing = true; }
    ]
    [
        <PG_TOLERANCE> draft.tolerance = PostgresStep()
    |
        <PG_WINDOW_RANGE> { draft.window = JoinWindow.read(token.image); }
    ]
    { return draft.end(e, e2); }
}

/** 10s: the lexer has split it. */
SeriesClauses.Step PostgresStep() :
{
    final SqlParserPos pos;
    final String digits;
}
{
    <UNSIGNED_INTEGER_LITERAL> { digits = token.image; pos = getPos(); }
    <IDENTIFIER> { return new SeriesClauses.Step(pos, SeriesWords.count(digits), token.image); }
}

/** LATEST ON ts PARTITION BY a, b; LATEST BY a, b. */
void PostgresLatest(SeriesClauses series) :
{
    final SqlParserPos pos;
    SqlIdentifier timestamp = null;
    SqlIdentifier key;
    final List<SqlIdentifier> keys = new ArrayList<SqlIdentifier>();
}
{
    <PG_LATEST> { pos = getPos(); }
    (
        <ON> timestamp = CompoundIdentifier() <PARTITION> <BY>
    |
        PostgresWord("by")
    )
    key = CompoundIdentifier() { keys.add(key); }
    ( LOOKAHEAD(1) <COMMA> key = CompoundIdentifier() { keys.add(key); } )*
    { series.latest = new SeriesClauses.Latest(pos, timestamp, keys); }
}

/** SAMPLE BY 1h [FROM a TO b] [FILL(...)] [ALIGN TO ...]. */
void PostgresSampleBy(SeriesClauses series) :
{
    final SeriesClauses.Sample sample = new SeriesClauses.Sample();
    SqlNode e;
}
{
    <PG_SAMPLE> { sample.pos = getPos(); }
    PostgresWord("by") sample.step = PostgresStep()
    [ <FROM> sample.from = Expression(ExprContext.ACCEPT_NON_QUERY) ]
    [ <TO> sample.to = Expression(ExprContext.ACCEPT_NON_QUERY) ]
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "fill") })
        PostgresWord("fill") <LPAREN>
        e = Expression(ExprContext.ACCEPT_NON_QUERY) { sample.fill.add(e); }
        ( <COMMA> e = Expression(ExprContext.ACCEPT_NON_QUERY) { sample.fill.add(e); } )*
        <RPAREN>
    ]
    [
        LOOKAHEAD({ Atoms.isWord(getToken(1), "align") })
        PostgresWord("align") <TO>
        (
            LOOKAHEAD({ Atoms.isWord(getToken(1), "first") })
            PostgresWord("first") PostgresWord("observation") { sample.isFromFirst = true; }
        |
            PostgresWord("calendar")
            [
                LOOKAHEAD({ Atoms.isWord(getToken(1), "time") })
                PostgresWord("time") PostgresWord("zone") sample.zone = PostgresAtom()
            ]
            [ LOOKAHEAD(1) <WITH> <OFFSET> sample.offset = PostgresAtom() ]
        )
    ]
    { series.sample = sample; }
}
