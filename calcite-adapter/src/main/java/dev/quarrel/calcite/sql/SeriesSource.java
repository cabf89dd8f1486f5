package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.series.SeriesCall;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import org.apache.calcite.sql.SqlNode;

/// What is known of the arguments of a function for time series.
record SeriesSource(Analysis analysis, ExpressionAnalyzer expressions) implements SeriesCall.Source {
    @Override
    public SeriesCall.Argument argument(SqlNode node) {
        Expr expr = expressions.analyze(node);
        return new SeriesCall.Argument(new AnalyzedNode(expr, node.getParserPosition()), expr.type());
    }

    @Override
    public boolean isOrdered(SqlNode node) {
        Expr expr = new OuterAggregates(analysis, expressions.scope()).peek(node, expressions);
        return expr instanceof Expr.Value value
                && AggregateKind.FIRST.takesInPlace(
                        DataType.INT64, SqlTypes.dataType(value.rex().getType()));
    }

    @Override
    public String text() {
        return analysis.text();
    }
}
