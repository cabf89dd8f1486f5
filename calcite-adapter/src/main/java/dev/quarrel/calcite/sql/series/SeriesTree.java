package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.PostgresSelect;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.parse.PostgresWithItem;
import dev.quarrel.calcite.parse.SeriesJoin;
import dev.quarrel.calcite.parse.TableFunction;
import java.util.List;
import java.util.stream.Stream;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Syntax trees of PostgreSQL's own syntax, of which those for time series are made.
///
/// @param pos where what they are made of stands in the text, for errors
record SeriesTree(SqlParserPos pos) {
    SqlNode call(String function, SqlNode... arguments) {
        SqlUnresolvedFunction name = new SqlUnresolvedFunction(
                new SqlIdentifier(function, pos), null, null, null, null, SqlFunctionCategory.USER_DEFINED_FUNCTION);
        return new SqlBasicCall(name, List.of(arguments), pos);
    }

    /// A function in FROM.
    SqlNode rows(SqlNode call) {
        return new TableFunction(pos, List.of(call), false, false, null, SqlNodeList.EMPTY, List.of());
    }

    SqlIdentifier name(String... names) {
        return new SqlIdentifier(List.of(names), pos);
    }

    SqlNode text(String text) {
        return SqlLiteral.createCharString(text, pos);
    }

    SqlNode number(long number) {
        return SqlLiteral.createExactNumeric(Long.toString(number), pos);
    }

    /// `type 'text'`
    SqlNode literal(String type, String text) {
        return typed(type, text(text));
    }

    SqlNode typed(String type, SqlNode text) {
        return PostgresOperators.TYPED_LITERAL.createCall(pos, spec(type), text);
    }

    SqlNode cast(SqlNode node, String type) {
        return SqlStdOperatorTable.CAST.createCall(pos, node, spec(type));
    }

    private SqlDataTypeSpec spec(String type) {
        PostgresTypeName name = new PostgresTypeName(new SqlIdentifier(type, pos), List.of(), null, 0, pos);
        return new SqlDataTypeSpec(name, pos);
    }

    SqlNode plus(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.PLUS.createCall(pos, left, right);
    }

    SqlNode minus(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.MINUS.createCall(pos, left, right);
    }

    SqlNode times(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.MULTIPLY.createCall(pos, left, right);
    }

    SqlNode over(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.DIVIDE.createCall(pos, left, right);
    }

    SqlNode rest(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.PERCENT_REMAINDER.createCall(pos, left, right);
    }

    SqlNode equal(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.EQUALS.createCall(pos, left, right);
    }

    SqlNode notEqual(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.NOT_EQUALS.createCall(pos, left, right);
    }

    SqlNode notLess(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.GREATER_THAN_OR_EQUAL.createCall(pos, left, right);
    }

    SqlNode less(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.LESS_THAN.createCall(pos, left, right);
    }

    SqlNode notGreater(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.LESS_THAN_OR_EQUAL.createCall(pos, left, right);
    }

    SqlNode and(SqlNode left, SqlNode right) {
        return left == null ? right : right == null ? left : SqlStdOperatorTable.AND.createCall(pos, left, right);
    }

    SqlNode isNotNull(SqlNode node) {
        return SqlStdOperatorTable.IS_NOT_NULL.createCall(pos, node);
    }

    SqlNode isNull(SqlNode node) {
        return SqlStdOperatorTable.IS_NULL.createCall(pos, node);
    }

    SqlNode or(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.OR.createCall(pos, left, right);
    }

    /// `left UNION ALL right`
    SqlNode unionAll(SqlNode left, SqlNode right) {
        return SqlStdOperatorTable.UNION_ALL.createCall(pos, left, right);
    }

    SqlNode atTimeZone(SqlNode time, SqlNode zone) {
        return PostgresOperators.AT_TIME_ZONE.createCall(pos, time, zone);
    }

    /// When a step begins, of its local time; `atTimeZone` where clocks do not skip that.
    SqlNode shownAtTimeZone(SqlNode local, SqlNode zone) {
        return PostgresOperators.SHOWN_AT_TIME_ZONE.createCall(pos, local, zone);
    }

    SqlNode extract(String field, SqlNode time) {
        return call("date_part", text(field), time);
    }

    /// A field as `numeric`.
    SqlNode exactPart(String field, SqlNode time) {
        return SqlStdOperatorTable.EXTRACT.createCall(pos, new SqlIntervalQualifier(field, pos), time);
    }

    /// `aggregate(… ORDER BY key)`, which the parser hands on as WITHIN GROUP that begins with the call.
    SqlNode orderedBy(SqlNode aggregate, SqlNode key) {
        return SqlStdOperatorTable.WITHIN_GROUP.createCall(pos, aggregate, new SqlNodeList(List.of(key), pos));
    }

    SqlNode as(SqlNode node, SqlIdentifier name, SqlIdentifier... columns) {
        return SqlStdOperatorTable.AS.createCall(
                pos, Stream.concat(Stream.of(node, name), Stream.of(columns)).toList());
    }

    /// CASE WHEN condition THEN value ELSE other END
    SqlNode choice(SqlNode condition, SqlNode value, SqlNode other) {
        return new SqlCase(
                pos,
                null,
                SqlNodeList.of(condition),
                SqlNodeList.of(value),
                other == null ? SqlLiteral.createNull(pos) : other);
    }

    /// `expression OVER (ORDER BY keys)`
    SqlNode overOrder(SqlNode function, List<SqlNode> keys) {
        return SqlStdOperatorTable.OVER.createCall(
                pos,
                function,
                SqlWindow.create(
                        null,
                        null,
                        SqlNodeList.EMPTY,
                        new SqlNodeList(keys, pos),
                        SqlLiteral.createBoolean(false, pos),
                        null,
                        null,
                        null,
                        pos));
    }

    SqlNode join(SqlNode left, JoinType type, SqlNode right, SqlNode condition) {
        return new SqlJoin(
                pos,
                left,
                SqlLiteral.createBoolean(false, pos),
                type.symbol(pos),
                right,
                (condition == null ? JoinConditionType.NONE : JoinConditionType.ON).symbol(pos),
                condition);
    }

    /// `left ASOF LEFT JOIN right ON condition`
    SqlNode nearest(SqlNode left, SqlNode right, SqlNode condition) {
        return new SeriesJoin(
                pos,
                left,
                right,
                condition,
                new SeriesJoin.Form("asof", false, true, false, List.of(), false, null, null));
    }

    SqlNode select(List<SqlNode> items, SqlNode from, SqlNode where, List<SqlNode> keys, boolean isDistinct) {
        return new PostgresSelect(
                pos,
                isDistinct ? SqlNodeList.of(SqlSelectKeyword.DISTINCT.symbol(pos)) : SqlNodeList.EMPTY,
                List.of(),
                new SqlNodeList(items, pos),
                from,
                where,
                keys.isEmpty() ? null : new SqlNodeList(keys, pos),
                null,
                SqlNodeList.EMPTY,
                null,
                null,
                null,
                null,
                SqlNodeList.EMPTY);
    }

    /// WITH name AS MATERIALIZED (query) body
    SqlNode with(SqlIdentifier name, SqlNode query, SqlNode body) {
        return with(List.of(madeOnce(name, query)), body);
    }

    /// WITH items body
    SqlNode with(List<SqlNode> items, SqlNode body) {
        return new SqlWith(pos, new SqlNodeList(items, pos), body);
    }

    /// name AS MATERIALIZED (query), of WITH
    SqlNode madeOnce(SqlIdentifier name, SqlNode query) {
        PostgresWithItem item = new PostgresWithItem(pos, name, null, query, SqlLiteral.createBoolean(false, pos));
        item.materialized(true);
        return item;
    }
}
