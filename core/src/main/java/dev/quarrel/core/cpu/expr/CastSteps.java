package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.text.BinaryFunctions;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// The CAST opcode, by the types on both sides.
final class CastSteps {
    private CastSteps() {}

    static Step of(DataType from, DataType to, int argument, int result) {
        if (from instanceof DataType.Utf8) {
            return new FunctionStep(List.of(argument), result, TextCasts.parser(to));
        }
        if (from instanceof DataType.Binary) {
            return new FunctionStep(List.of(argument), result, fromBytes(to));
        }
        if (to instanceof DataType.Binary) {
            int width = from.byteWidth();
            return Steps.unlessEmpty((tile, rows) ->
                    BinaryFunctions.ofInteger(tile.value(argument), (TextVector) tile.value(result), width, rows));
        }
        if (to instanceof DataType.Utf8) {
            TextBuffer buffer = new TextBuffer();
            return Steps.unlessEmpty((tile, rows) ->
                    TextCasts.toText(tile.value(argument), (TextVector) tile.value(result), rows, buffer));
        }
        return switch (from) {
            case DataType.Date _ ->
                Steps.unlessEmpty((tile, rows) ->
                        dateToTimestamp((IntVector) tile.value(argument), (LongVector) tile.value(result), rows));
            case DataType.Timestamp _
            when to instanceof DataType.Date ->
                Steps.unlessEmpty((tile, rows) ->
                        timestampToDate((LongVector) tile.value(argument), (IntVector) tile.value(result), rows));
            case DataType.Timestamp _
            when to instanceof DataType.Time ->
                Steps.unlessEmpty((tile, rows) ->
                        timestampToTime((LongVector) tile.value(argument), (LongVector) tile.value(result), rows));
            case DataType.Time _ ->
                Steps.unlessEmpty((tile, rows) ->
                        timeToInterval((LongVector) tile.value(argument), (DecimalVector) tile.value(result), rows));
            case DataType.Interval _ ->
                Steps.unlessEmpty((tile, rows) ->
                        intervalToTime((DecimalVector) tile.value(argument), (LongVector) tile.value(result), rows));
            case DataType.Bool _,
                    DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Float32 _,
                    DataType.Float64 _,
                    DataType.Decimal _,
                    DataType.Numeric _,
                    DataType.Timestamp _ -> {
                WideNumber scratch = new WideNumber();
                yield Steps.unlessEmpty(
                        (tile, rows) -> NumberCasts.cast(tile.value(argument), tile.value(result), rows, scratch));
            }
            case DataType.Uuid _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalArgumentException(from + " to " + to);
        };
    }

    private static RowFunction fromBytes(DataType to) {
        return switch (to) {
            case DataType.Int16 _ -> BinaryFunctions.toInteger(2, "smallint");
            case DataType.Int32 _ -> BinaryFunctions.toInteger(4, "integer");
            case DataType.Int64 _ -> BinaryFunctions.toInteger(8, "bigint");
            default -> TextCasts::hex;
        };
    }

    private static void dateToTimestamp(IntVector from, LongVector to, Mask rows) {
        to.copyValidity(from, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (!to.isPresent(row)) {
                continue;
            }
            int day = from.values()[row];
            to.values()[row] = startOf(day);
        }
    }

    /// The day's midnight, or infinity.
    ///
    /// - Errors: 22008 for a day beyond timestamps.
    static long startOf(int day) {
        if (CivilDate.isInfinite(day)) {
            return day < 0 ? CivilDate.TIMESTAMP_MINUS_INFINITY : CivilDate.TIMESTAMP_INFINITY;
        }
        if (day > CivilDate.LAST_TIMESTAMP_DAY) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range for timestamp");
        }
        return day * CivilDate.MICROS_PER_DAY;
    }

    private static void timestampToTime(LongVector from, LongVector to, Mask rows) {
        to.copyValidity(from, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (to.isPresent(row)) {
                long micros = from.values()[row];
                if (CivilDate.isInfinite(micros)) {
                    // PostgreSQL answers NULL, which this cast of a present value cannot.
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "the time of an infinite timestamp is not supported");
                }
                to.values()[row] = Math.floorMod(micros, CivilDate.MICROS_PER_DAY);
            }
        }
    }

    private static void timeToInterval(LongVector from, DecimalVector to, Mask rows) {
        to.copyValidity(from, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            to.low()[indexes[index]] = 0;
            to.high()[indexes[index]] = from.values()[indexes[index]];
        }
    }

    private static void intervalToTime(DecimalVector from, LongVector to, Mask rows) {
        to.copyValidity(from, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (to.isPresent(row)) {
                if (!Interval.isFinite(from.low()[row], from.high()[row])) {
                    throw new QueryException(
                            SqlState.DATETIME_FIELD_OVERFLOW, "cannot convert infinite interval to time");
                }
                to.values()[row] = Math.floorMod(from.high()[row], CivilDate.MICROS_PER_DAY);
            }
        }
    }

    private static void timestampToDate(LongVector from, IntVector to, Mask rows) {
        to.copyValidity(from, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            long micros = from.values()[row];
            if (CivilDate.isInfinite(micros)) {
                to.values()[row] = micros < 0 ? CivilDate.MINUS_INFINITY : CivilDate.INFINITY;
            } else {
                to.values()[row] = (int) CivilDate.dayOf(micros);
            }
        }
    }
}
