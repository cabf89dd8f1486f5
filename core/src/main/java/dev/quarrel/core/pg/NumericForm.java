package dev.quarrel.core.pg;

import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.nio.ByteBuffer;

/// Numerics of any number of digits, held as PostgreSQL shows them: with the digits of their display scale.
///
/// - Source: PostgreSQL's `numeric.c`.
public record NumericForm() implements ValueForm {
    @Override
    public String read(String text, int typmod, PgParse.Moment moment) {
        Object value = PgParse.wideNumeric(text);
        return text(typmod < 0 ? value : modified(value, typmod));
    }

    /// A value rounded to the scale of a declaration.
    ///
    /// - Errors: 22003 where it does not fit.
    ///
    /// @param value a BigDecimal or SpecialNumeric
    public static Object modified(Object value, int typmod) {
        return value == SpecialNumeric.NAN ? value : PgParse.coerce(value, new PgType.Declared(PgType.NUMERIC, typmod));
    }

    /// What a text means that is held: a BigDecimal or SpecialNumeric.
    public static Object value(String text) {
        char last = text.charAt(text.length() - 1);
        if (last >= '0' && last <= '9') {
            return new BigDecimal(text);
        }
        return last == 'N' ? SpecialNumeric.NAN : SpecialNumeric.ofSign(text.charAt(0) == '-' ? -1 : 1);
    }

    /// The text in which a BigDecimal of its display scale, or a SpecialNumeric, is held.
    public static String text(Object value) {
        return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
    }

    /// The text of a number as a statement writes it.
    ///
    /// - Errors: 22003 beyond PostgreSQL's limits.
    public static String written(BigDecimal number) {
        return text(PgParse.wideNumeric(number.toString()));
    }

    @Override
    public void appendKey(String text, TextBuffer out) {
        KeyBytes.number(value(text), out);
    }

    @Override
    public void send(String text, TextBuffer out) {
        switch (value(text)) {
            case SpecialNumeric special -> NumericFormat.append(special, out);
            case Object number -> NumericFormat.append((BigDecimal) number, out);
        }
    }

    @Override
    public String receive(ByteBuffer bytes) {
        return text(NumericFormat.parseWide(bytes));
    }

    /// A number has as many texts as display scales.
    @Override
    public boolean isEqualAsText() {
        return false;
    }
}
