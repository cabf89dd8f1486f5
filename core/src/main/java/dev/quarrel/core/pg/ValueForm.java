package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/// What a type is whose values are held as the text that PostgreSQL shows of them: how other texts become that one,
/// keys by which values order, and the form in which they are sent.
///
/// A further type is one more form, and its row in [PgType] and in the table of SQL's types.
public interface ValueForm {
    /// The text that PostgreSQL shows of what `text` means, as the cast `'text'::type` reads it.
    ///
    /// - Errors: those of the type's input function, without a position.
    ///
    /// @param typmod as the type is declared; [PgType#NO_TYPMOD] for none
    String read(String text, int typmod, PgParse.Moment moment);

    /// Appends bytes that order as values do: those of equal values are the same, and none begins another.
    ///
    /// @param text as it is held
    void appendKey(String text, TextBuffer out);

    /// Appends the binary form, as the type's send function has it.
    void send(String text, TextBuffer out);

    /// The text of a value in binary form.
    ///
    /// - Errors: 22P03; [BufferUnderflowException] where bytes are missing.
    String receive(ByteBuffer bytes);

    /// Whether two values are equal if, and only if, their texts are.
    default boolean isEqualAsText() {
        return true;
    }

    /// Whether a session shows values in its time zone, and not as they are held.
    default boolean isShownInZone() {
        return false;
    }

    /// Whether reading a text needs the session's time zone: to know an instant, or which day is today.
    default boolean isReadInZone() {
        return false;
    }

    /// The type of what it is a range of; null where it is none.
    default PgType rangeOf() {
        return null;
    }

    /// The form of a type; null for one that has values of another kind.
    static ValueForm of(PgType type) {
        return Table.FORMS.get(type);
    }

    /// Reads what a client sends.
    ///
    /// - Errors: 22P03 for what is no such value, 08P01 where bytes are missing.
    static String received(PgType type, byte[] bytes, int number) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        String text;
        try {
            text = of(type).receive(in);
        } catch (BufferUnderflowException _) {
            throw new QueryException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
        }
        if (in.hasRemaining()) {
            throw new QueryException(
                    SqlState.INVALID_BINARY_REPRESENTATION, "incorrect binary data format in bind parameter " + number);
        }
        return text;
    }

    /// The table of forms.
    final class Table {
        private static final Map<PgType, ValueForm> FORMS = new EnumMap<>(PgType.class);

        static {
            FORMS.put(PgType.BIT, new BitForm(true));
            FORMS.put(PgType.VARBIT, new BitForm(false));
            FORMS.put(PgType.INET, new NetworkForm(false));
            FORMS.put(PgType.CIDR, new NetworkForm(true));
            FORMS.put(PgType.MACADDR, new MacForm(6));
            FORMS.put(PgType.MACADDR8, new MacForm(8));
            FORMS.put(PgType.TIMETZ, new TimeTzForm());
            FORMS.put(PgType.MONEY, new MoneyForm());
            FORMS.put(PgType.WIDE_NUMERIC, new NumericForm());
            FORMS.put(PgType.INT4RANGE, new RangeForm(PgType.INT4, false));
            FORMS.put(PgType.INT4MULTIRANGE, new RangeForm(PgType.INT4, true));
            FORMS.put(PgType.INT8RANGE, new RangeForm(PgType.INT8, false));
            FORMS.put(PgType.INT8MULTIRANGE, new RangeForm(PgType.INT8, true));
            FORMS.put(PgType.NUMRANGE, new RangeForm(PgType.NUMERIC, false));
            FORMS.put(PgType.NUMMULTIRANGE, new RangeForm(PgType.NUMERIC, true));
            FORMS.put(PgType.DATERANGE, new RangeForm(PgType.DATE, false));
            FORMS.put(PgType.DATEMULTIRANGE, new RangeForm(PgType.DATE, true));
            FORMS.put(PgType.TSRANGE, new RangeForm(PgType.TIMESTAMP, false));
            FORMS.put(PgType.TSMULTIRANGE, new RangeForm(PgType.TIMESTAMP, true));
            FORMS.put(PgType.TSTZRANGE, new RangeForm(PgType.TIMESTAMPTZ, false));
            FORMS.put(PgType.TSTZMULTIRANGE, new RangeForm(PgType.TIMESTAMPTZ, true));
        }

        private Table() {}
    }
}
