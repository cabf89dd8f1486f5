package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.text.LikeMatcher;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// `text LIKE ANY (patterns)` and `text LIKE ALL (patterns)`, with NOT and ILIKE.
///
/// - Threads: belongs to one kernel.
/// - Source: PostgreSQL's `execExprInterp.c` (ExecEvalScalarArrayOp).
final class ArrayMatches {
    private static final String ESCAPE = "\\";

    private final ArrayOperation.Match match;
    private final boolean all;
    private final ArrayElements array = new ArrayElements();
    private final List<LikeMatcher> matchers = new ArrayList<>(); // null for NULL
    private byte[] known; // the array that they are of

    private ArrayMatches(ArrayOperation.Match match, boolean all) {
        this.match = match;
        this.all = all;
    }

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        for (ArrayOperation.Match match : ArrayOperation.Match.values()) {
            for (boolean all : new boolean[] {false, true}) {
                kernels.put(match.id(all), _ -> {
                    ArrayMatches matches = new ArrayMatches(match, all);
                    return BatchFunction.eachRow(matches::test);
                });
            }
        }
    }

    private void test(Arguments in, Vector out, int row) {
        if (in.isNull(1)) {
            out.setAbsent(row);
            return;
        }
        read(in.text(1));
        boolean isUnknown = false;
        TextReader text = in.isNull(0) ? null : in.text(0);
        for (LikeMatcher matcher : matchers) {
            if (text == null || matcher == null) {
                isUnknown = true;
            } else if (matcher.matches(text.bytes, text.start, text.length) != match.isNegated() != all) {
                Results.bool(out, row, !all);
                return;
            }
        }
        Results.undecided(out, row, isUnknown, all);
    }

    private void read(TextReader patterns) {
        if (known != null && patterns.isSame(known)) {
            return;
        }
        known = null;
        matchers.clear();
        array.openAny(patterns);
        while (array.next()) {
            matchers.add(array.isNull ? null : LikeMatcher.of(ElementForm.text(array), ESCAPE, match.ignoresCase()));
        }
        known = patterns.copyOfBytes();
    }
}
