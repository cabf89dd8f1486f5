package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RegexMatcher;
import dev.quarrel.core.cpu.text.RegexOptions;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of regular expressions.
///
/// - Source: PostgreSQL's `regexp.c`.
final class RegexKernels {
    private RegexKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        for (String id : new String[] {"regexp_count_no_start", "regexp_count_no_flags", "regexp_count"}) {
            kernels.put(id, () -> {
                Prepared prepared = new Prepared("regexp_count");
                return Kernels.eachRow((in, out, row) -> count(prepared, in, out, row));
            });
        }
    }

    /// `(text, pattern [, start [, flags]])`
    private static void count(Prepared prepared, Arguments in, Vector out, int row) {
        int start = in.count() > 2 ? in.int32(2) : 1;
        if (start <= 0) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "invalid value for parameter \"start\": " + start);
        }
        RegexMatcher matcher = prepared.matcher(in.text(1), in.count() > 3 ? in.text(3) : null);
        TextReader text = in.text(0);
        Results.int32(out, row, matcher.count(text.bytes, text.start, text.length, start - 1));
    }

    /// The pattern and flags of the row before, made ready.
    private static final class Prepared {
        private final String function;
        private byte[] pattern;
        private byte[] flags;
        private RegexMatcher matcher;

        Prepared(String function) {
            this.function = function;
        }

        /// @param newFlags null for none
        RegexMatcher matcher(TextReader newPattern, TextReader newFlags) {
            boolean isKnown =
                    matcher != null && isSame(pattern, newPattern) && (newFlags == null || isSame(flags, newFlags));
            if (!isKnown) {
                matcher = null;
                RegexOptions options =
                        newFlags == null ? RegexOptions.NONE : RegexOptions.parse(newFlags.string(), function);
                pattern = newPattern.copyOfBytes();
                flags = newFlags == null ? null : newFlags.copyOfBytes();
                matcher = RegexMatcher.ofLongest(pattern, options);
            }
            return matcher;
        }

        private static boolean isSame(byte[] known, TextReader text) {
            return Arrays.equals(known, 0, known.length, text.bytes, text.start, text.end());
        }
    }
}
