package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;

/// Masks and three-valued logic: 64 rows a step, without branches.
final class Logic {
    private Logic() {}

    static void maskTrue(BoolVector argument, Mask rows, Mask result) {
        result.setAnd(rows, argument.bits());
        if (argument.validity() != null) {
            result.setAnd(result, argument.validity());
        }
    }

    static void maskNotTrue(BoolVector argument, Mask rows, Mask result) {
        combine(rows, result, argument.bits(), argument.validity(), -1L, -1L);
    }

    static void maskNotFalse(BoolVector argument, Mask rows, Mask result) {
        combine(rows, result, argument.bits(), argument.validity(), 0L, -1L);
    }

    /// Rows whose bit XOR `flip` is 1, or whose value is absent where `absent` is all ones.
    private static void combine(Mask rows, Mask result, long[] bits, long[] validity, long flip, long absent) {
        result.reset(rows.rowCount());
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            long missing = validity == null ? 0 : ~validity[word] & absent;
            result.bits()[word] = rows.bits()[word] & (bits[word] ^ flip | missing);
        }
        result.recount();
    }

    static void maskPresent(Vector argument, Mask rows, Mask result) {
        if (argument.validity() == null) {
            result.set(rows);
        } else {
            result.setAnd(rows, argument.validity());
        }
    }

    static void and(BoolVector a, BoolVector b, BoolVector result, int words) {
        long[] x = a.bits();
        long[] y = b.bits();
        long[] out = result.bits();
        if (a.validity() == null && b.validity() == null) {
            for (int word = 0; word < words; word++) {
                out[word] = x[word] & y[word];
            }
            result.setAllPresent();
            return;
        }
        long[] present = result.writableValidity();
        for (int word = 0; word < words; word++) {
            long presentX = a.validity() == null ? -1L : a.validity()[word];
            long presentY = b.validity() == null ? -1L : b.validity()[word];
            long isTrue = x[word] & presentX & y[word] & presentY;
            long isFalse = ~x[word] & presentX | ~y[word] & presentY;
            out[word] = isTrue;
            present[word] = isTrue | isFalse;
        }
    }

    static void or(BoolVector a, BoolVector b, BoolVector result, int words) {
        long[] x = a.bits();
        long[] y = b.bits();
        long[] out = result.bits();
        if (a.validity() == null && b.validity() == null) {
            for (int word = 0; word < words; word++) {
                out[word] = x[word] | y[word];
            }
            result.setAllPresent();
            return;
        }
        long[] present = result.writableValidity();
        for (int word = 0; word < words; word++) {
            long presentX = a.validity() == null ? -1L : a.validity()[word];
            long presentY = b.validity() == null ? -1L : b.validity()[word];
            long isTrue = x[word] & presentX | y[word] & presentY;
            long isFalse = ~x[word] & presentX & ~y[word] & presentY;
            out[word] = isTrue;
            present[word] = isTrue | isFalse;
        }
    }

    static void not(BoolVector a, BoolVector result, int words) {
        for (int word = 0; word < words; word++) {
            result.bits()[word] = ~a.bits()[word];
        }
        result.copyValidity(a, words);
    }

    /// @param flip all ones for IS NOT NULL's opposite, IS NULL
    static void isPresent(Vector a, BoolVector result, int words, long flip) {
        for (int word = 0; word < words; word++) {
            result.bits()[word] = (a.validity() == null ? -1L : a.validity()[word]) ^ flip;
        }
        result.setAllPresent();
    }

    /// @param flip all ones for IS FALSE
    static void isBool(BoolVector a, BoolVector result, int words, long flip) {
        for (int word = 0; word < words; word++) {
            result.bits()[word] = (a.bits()[word] ^ flip) & (a.validity() == null ? -1L : a.validity()[word]);
        }
        result.setAllPresent();
    }

    /// `whenTrue` in the rows of `chosen`, `otherwise` in the other rows of the instruction.
    ///
    /// @param rest scratch
    /// @param ofTexts what chooses between texts
    static void select(
            Mask chosen, Vector whenTrue, Vector otherwise, Vector result, Mask rows, Mask rest, TextSelect ofTexts) {
        rest.setAndNot(rows, chosen.bits());
        if (rest.isEmpty() || chosen.isEmpty()) {
            Vector only = rest.isEmpty() ? whenTrue : otherwise;
            result.copyValidity(only, rows.wordCount());
            result.copyValues(only, rows);
            return;
        }
        int words = rows.wordCount();
        if (whenTrue.validity() == null && otherwise.validity() == null) {
            result.setAllPresent();
        } else {
            long[] present = result.writableValidity();
            for (int word = 0; word < words; word++) {
                long one = whenTrue.validity() == null ? -1L : whenTrue.validity()[word];
                long other = otherwise.validity() == null ? -1L : otherwise.validity()[word];
                long choice = chosen.bits()[word];
                present[word] = one & choice | other & ~choice;
            }
        }
        if (result instanceof TextVector texts) {
            ofTexts.select(chosen, (TextVector) whenTrue, (TextVector) otherwise, texts, rest);
            return;
        }
        boolean narrow = whenTrue instanceof DecimalVector one
                && otherwise instanceof DecimalVector other
                && one.isNarrow()
                && other.isNarrow();
        result.copyValues(whenTrue, chosen);
        result.copyValues(otherwise, rest);
        if (result instanceof DecimalVector decimals) {
            decimals.setNarrow(narrow);
        }
    }
}
