package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlKind;

/// Refuses expressions that convert a value to text if the session's settings ask for a format other than the
/// one programs write: bytes in hex, intervals in IntervalStyle postgres, timestamps in UTC. Values sent to the
/// client are not affected.
///
/// @param hexBytes whether `bytea_output` is hex
/// @param intervals IntervalStyle; under sql_standard no text is read as one either, for signs mean otherwise
/// @param utc whether the session's time zone is UTC; for arrays, since [ZoneBinding] has the rest
public record TextStyleCheck(boolean hexBytes, IntervalStyle intervals, boolean utc) {
    /// - Errors: 0A000.
    public void require(RelNode root) {
        if (hexBytes && intervals == IntervalStyle.POSTGRES && utc) {
            return;
        }
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                rel.accept(new Check());
                return super.visit(rel);
            }
        });
    }

    private final class Check extends RexShuttle {
        @Override
        public RexNode visitCall(RexCall call) {
            boolean isText =
                    switch (call.getKind()) {
                        case CAST -> SqlTypes.dataType(call.getType()) instanceof DataType.Utf8;
                        default ->
                            call.getOperator() instanceof CatalogFunction
                                    && !call.getOperands().isEmpty()
                                    && makesTexts(call);
                    };
            if (isText) {
                RelDataType shown = call.getOperands().getFirst().getType();
                require(SqlTypes.pgType(shown));
                if (SqlTypes.other(shown) != null && SqlTypes.other(shown).isStyled()) {
                    List.of(PgType.BYTEA, PgType.INTERVAL, PgType.TIMESTAMPTZ).forEach(this::require);
                }
            }
            boolean isArrayRead = call.getOperator() instanceof CatalogFunction
                    && SqlTypes.pgType(call.getType()) == PgType.INTERVAL_ARRAY
                    && SqlTypes.pgType(call.getOperands().getFirst().getType()).dataType() instanceof DataType.Utf8
                    && SqlTypes.pgType(call.getOperands().getFirst().getType()) != PgType.INTERVAL_ARRAY;
            boolean isRead = isArrayRead
                    || call.getKind() == SqlKind.CAST
                            && SqlTypes.dataType(call.getType()) instanceof DataType.Interval
                            && SqlTypes.dataType(call.getOperands().getFirst().getType()) instanceof DataType.Utf8
                            && !(call.getOperands().getFirst() instanceof RexLiteral);
            if (isRead) {
                require(
                        intervals != IntervalStyle.SQL_STANDARD,
                        "interval",
                        "IntervalStyle is sql_standard",
                        "SET IntervalStyle = postgres");
            }
            return super.visitCall(call);
        }

        /// Whether an array's elements become texts: of array_to_string, or of a cast to an array of texts.
        private static boolean makesTexts(RexCall call) {
            PgType from = SqlTypes.pgType(call.getOperands().getFirst().getType());
            PgType to = SqlTypes.pgType(call.getType());
            PgType element = to.isArray() ? to.element() : to;
            return from.isArray() && from.element() != element && element.dataType() instanceof DataType.Utf8;
        }

        private void require(PgType type) {
            switch (type.isArray() ? type.element() : type) {
                case BYTEA -> require(hexBytes, "bytea", "bytea_output is not hex", "SET bytea_output = hex");
                case INTERVAL ->
                    require(
                            intervals == IntervalStyle.POSTGRES,
                            "interval",
                            "IntervalStyle is not postgres",
                            "SET IntervalStyle = postgres");
                case TIMESTAMPTZ, TSTZRANGE, TSTZMULTIRANGE ->
                    require(utc, "timestamp with time zone", "the time zone is not UTC", "SET TIME ZONE 'UTC'");
                default -> {}
            }
        }

        private static void require(boolean isSo, String type, String setting, String hint) {
            if (!isSo) {
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "not supported: " + type + " as text in an expression, where " + setting)
                        .withHint(hint);
            }
        }

        @Override
        public RexNode visitSubQuery(RexSubQuery query) {
            TextStyleCheck.this.require(query.rel);
            return super.visitSubQuery(query);
        }
    }
}
