package dev.quarrel.calcite.engine;

import dev.quarrel.core.pg.BitStrings;
import dev.quarrel.core.pg.NumericForm;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// Values of a type as a column of the type with its modifier takes them.
///
/// - Errors: `QueryException` 22001 for a text that is too long, 22003 for a number.
final class Assigned {
    private Assigned() {}

    /// @param value in canonical form
    /// @param held how the column holds it
    static Object value(Object value, PgType.Declared type, DataType held) {
        return switch (value) {
            case BigDecimal number -> {
                Object coerced = PgParse.coerce(number, type);
                yield held instanceof DataType.Decimal decimal && coerced instanceof BigDecimal fits
                        ? fits.setScale(decimal.scale(), RoundingMode.HALF_UP)
                        : held instanceof DataType.Utf8 ? ((BigDecimal) coerced).toPlainString() : coerced;
            }
            case String text
            when type.length() >= 0 -> {
                requireRoom(text, type);
                yield PgParse.literal(text, type).value();
            }
            case String bits
            when type.typmod() >= 0 && (type.type() == PgType.BIT || type.type() == PgType.VARBIT) ->
                BitStrings.sized(bits, type.typmod(), false, type.type() == PgType.BIT);
            case String number
            when type.type() == PgType.WIDE_NUMERIC && type.typmod() >= 0 ->
                NumericForm.text(NumericForm.modified(NumericForm.value(number), type.typmod()));
            case Long micros when type.type() == PgType.TIME -> SecondDigits.roundTime(micros, type.fractionDigits());
            case Long micros
            when held instanceof DataType.Timestamp -> SecondDigits.roundTimestamp(micros, type.fractionDigits());
            default -> value;
        };
    }

    private static void requireRoom(String text, PgType.Declared type) {
        int characters = text.codePointCount(0, text.length());
        if (characters > type.length()
                && !text.substring(text.offsetByCodePoints(0, type.length())).isBlank()) {
            throw new QueryException(SqlState.STRING_DATA_RIGHT_TRUNCATION, "value too long for type " + type.text());
        }
    }
}
