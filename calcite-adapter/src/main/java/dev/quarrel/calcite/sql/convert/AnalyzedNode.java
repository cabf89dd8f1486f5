package dev.quarrel.calcite.sql.convert;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.parser.SqlParserPos;

/// Stands for an expression that has been analysed, in a syntax tree that is made around it: however often it stands
/// there, and however deep such trees are in each other, it is analysed once.
public final class AnalyzedNode extends SqlCall {
    private static final SqlOperator OPERATOR = new SqlSpecialOperator("ANALYZED", SqlKind.OTHER);

    private final Expr expr;

    public AnalyzedNode(Expr expr, SqlParserPos pos) {
        super(pos);
        this.expr = expr;
    }

    public Expr expr() {
        return expr;
    }

    @Override
    public SqlOperator getOperator() {
        return OPERATOR;
    }

    @Override
    public List<SqlNode> getOperandList() {
        return List.of();
    }

    @Override
    public SqlNode clone(SqlParserPos pos) {
        return new AnalyzedNode(expr, pos);
    }
}
