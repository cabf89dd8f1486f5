package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.DateOrder;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
/// @param order of DateStyle; unless it is MDY, no text in an expression is read as a date
/// @param exactFloats whether floats are shown by the digits that read back
public record TextStyleCheck(
        boolean hexBytes, IntervalStyle intervals, boolean utc, DateOrder order, boolean exactFloats) {
    /// Functions of texts and dates that read no date by its order, and of floats whose text says itself what it is.
    private static final Set<String> OF_OTHER_TEXTS =
            Set.of("to_date", "to_timestamp", "to_char", "date_trunc", "timezone", "make_timestamptz", "array_dims");
    /// Functions that read a text as the type that another one names.
    private static final Set<String> OF_INPUT = Set.of("pg_input_is_valid", "pg_input_error_info");

    /// - Errors: 0A000.
    public void require(RelNode root) {
        if (hexBytes && intervals == IntervalStyle.POSTGRES && utc && order == DateOrder.MDY && exactFloats) {
            return;
        }
        root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode rel) {
                rel.accept(new Check());
                if (rel instanceof QuarrelFunctions) {
                    requireOrder(rel);
                }
                return super.visit(rel);
            }
        });
    }

    /// Functions in FROM make dates of documents.
    private void requireOrder(RelNode functions) {
        if (order != DateOrder.MDY
                && functions.getRowType().getFieldList().stream()
                        .anyMatch(field -> isOfDays(SqlTypes.pgType(field.getType())))) {
            Check.require(false, "text as dates", "DateStyle is not MDY", "SET DateStyle = 'ISO, MDY'");
        }
    }

    /// Whether a day is in it, by itself or in an array or range.
    private static boolean isOfDays(PgType type) {
        return switch (type.isArray() ? type.element() : type) {
            case DATE,
                    TIME,
                    TIMETZ,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    DATERANGE,
                    DATEMULTIRANGE,
                    TSRANGE,
                    TSMULTIRANGE,
                    TSTZRANGE,
                    TSTZMULTIRANGE -> true;
            default -> false;
        };
    }

    private static boolean isFloat(PgType type) {
        PgType one = type.isArray() ? type.element() : type;
        return one == PgType.FLOAT4 || one == PgType.FLOAT8;
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
            checkDays(call);
            checkFloats(call);
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

        private void checkDays(RexCall call) {
            String name = call.getOperator().getName().toLowerCase(Locale.ROOT);
            boolean isCall = call.getKind() == SqlKind.CAST || call.getOperator() instanceof CatalogFunction;
            boolean isRead = isCall
                    && !OF_OTHER_TEXTS.contains(name)
                    && isOfDays(SqlTypes.pgType(call.getType()))
                    && call.getOperands().stream().anyMatch(operand -> isAmbiguous(operand, call));
            require(
                    order == DateOrder.MDY || !isRead && !OF_INPUT.contains(name),
                    "text as dates",
                    "DateStyle is not MDY",
                    "SET DateStyle = 'ISO, MDY'");
        }

        /// Whether a text is another day under another order, as far as is known.
        private boolean isAmbiguous(RexNode operand, RexCall call) {
            PgType type = SqlTypes.pgType(operand.getType());
            if (!(type.dataType() instanceof DataType.Utf8) || isOfDays(type)) {
                return false;
            }
            if (!(operand instanceof RexLiteral literal) || call.getKind() != SqlKind.CAST) {
                return true;
            }
            String text = literal.getValueAs(String.class);
            return text != null && !read(text, call, DateOrder.MDY).equals(read(text, call, order));
        }

        private static Object read(String text, RexCall call, DateOrder order) {
            PgType.Declared type = new PgType.Declared(SqlTypes.pgType(call.getType()), PgType.NO_TYPMOD);
            try {
                return PgParse.literal(
                        text, type, new PgParse.Moment(ZoneOffset.UTC, Instant.EPOCH, IntervalStyle.POSTGRES, order));
            } catch (QueryException unreadable) {
                return unreadable.state();
            }
        }

        private void checkFloats(RexCall call) {
            boolean isShown = !exactFloats
                    && !OF_OTHER_TEXTS.contains(call.getOperator().getName().toLowerCase(Locale.ROOT))
                    && call.getKind() != SqlKind.CASE
                    && SqlTypes.dataType(call.getType()) instanceof DataType.Utf8
                    && !isFloat(SqlTypes.pgType(call.getType()))
                    && call.getOperands().stream().anyMatch(operand -> isFloat(SqlTypes.pgType(operand.getType())));
            require(!isShown, "floats", "extra_float_digits is less than 1", "SET extra_float_digits = 1");
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
