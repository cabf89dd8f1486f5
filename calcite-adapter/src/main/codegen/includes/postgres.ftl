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
        LOOKAHEAD(2)
        <LBRACKET> [ UnsignedIntLiteral() ] <RBRACKET> { dimensions++; }
    )*
    {
        return new PostgresTypeName(name, modifiers, zone, dimensions, s.end(this));
    }
}

/** f(...) or ROWS FROM (f(...), g(...)), WITH ORDINALITY, and a list of column definitions. */
SqlNode PostgresTableFunction() :
{
    final List<SqlNode> calls = new ArrayList<SqlNode>();
    final SqlNodeList definitions = new SqlNodeList(SqlParserPos.ZERO);
    boolean isRows = false;
    boolean isNumbered = false;
    SqlNode e;
    final Span s;
}
{
    [ <LATERAL> ]
    (
        LOOKAHEAD({ getToken(1).kind == ROWS })
        <ROWS> { s = span(); isRows = true; } <FROM> <LPAREN>
        e = AtomicRowExpression() { calls.add(e); }
        [ <AS> PostgresColumnDefinitions(definitions) ]
        (
            <COMMA> e = AtomicRowExpression() { calls.add(e); }
            [ <AS> PostgresColumnDefinitions(definitions) ]
        )*
        <RPAREN>
    |
        e = AtomicRowExpression() { calls.add(e); s = Span.of(e); }
    )
    [ <ORDINALITY> { isNumbered = true; } ]
    [
        LOOKAHEAD({ TableFunction.hasDefinitionsNext(this) })
        [ <AS> ]
        [ SimpleIdentifier() ]
        PostgresColumnDefinitions(definitions)
    ]
    { return new TableFunction(s.end(this), calls, isRows, isNumbered, definitions); }
}

/** (a int, b text): the names. */
void PostgresColumnDefinitions(SqlNodeList definitions) :
{
    SqlIdentifier name;
}
{
    <LPAREN> name = SimpleIdentifier() DataType() { definitions.add(name); }
    ( <COMMA> name = SimpleIdentifier() DataType() { definitions.add(name); } )*
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
