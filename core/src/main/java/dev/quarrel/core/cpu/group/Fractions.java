package dev.quarrel.core.cpu.group;

import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The array of fractions of a PERCENTILES aggregate, which all its groups share.
///
/// @param values any number where it is NULL
record Fractions(double[] values, boolean[] isNull) {
    /// Of a column that has the array's text in all rows; null where there are no rows, or that is NULL.
    static Fractions of(TextStore texts) {
        if (texts.size() == 0 || !texts.isPresent(0)) {
            return null;
        }
        byte[] bytes = new byte[texts.length(0)];
        texts.bytes(0).asSlice(texts.start(0), bytes.length).asByteBuffer().get(bytes);
        List<String> elements = ArrayText.parse(new String(bytes, StandardCharsets.UTF_8));
        double[] values = new double[elements.size()];
        boolean[] isNull = new boolean[values.length];
        for (int index = 0; index < values.length; index++) {
            isNull[index] = elements.get(index) == null;
            values[index] = isNull[index] ? 0 : PgParse.float8(elements.get(index));
        }
        return new Fractions(values, isNull);
    }

    int count() {
        return values.length;
    }

    /// - Errors: 22003 for a fraction outside [0, 1].
    void check() {
        for (double value : values) {
            check(value);
        }
    }

    /// - Errors: 22003 for a fraction outside [0, 1].
    static void check(double fraction) {
        if (!(fraction >= 0 && fraction <= 1)) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "percentile value " + fraction + " is not between 0 and 1");
        }
    }

    /// The place of the value that PERCENTILE_DISC takes of `size` in their order.
    static int place(double fraction, int size) {
        return Math.max(0, (int) Math.ceil(fraction * size) - 1);
    }
}
