package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;

/// Refuses casts of bytea to text where `bytea_output` is not hex: programs write hex alone. What is sent to the client
/// is not cast.
public final class ByteaOutputCheck {
    private ByteaOutputCheck() {}

    /// - Errors: 0A000.
    public static void require(RelNode root) {
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                rel.accept(new Check());
                return super.visit(rel);
            }
        });
    }

    private static final class Check extends RexShuttle {
        @Override
        public RexNode visitCall(RexCall call) {
            if (call.getKind() == SqlKind.CAST
                    && SqlTypes.pgType(call.getOperands().getFirst().getType()) == PgType.BYTEA
                    && SqlTypes.dataType(call.getType()) instanceof DataType.Utf8) {
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "not supported: bytea as text in an expression, where bytea_output is not hex")
                        .withHint("SET bytea_output = hex, or encode(…, 'escape')");
            }
            return super.visitCall(call);
        }

        @Override
        public RexNode visitSubQuery(RexSubQuery query) {
            require(query.rel);
            return super.visitSubQuery(query);
        }
    }
}
