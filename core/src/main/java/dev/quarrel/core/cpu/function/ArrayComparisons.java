package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;

/// `value op ANY (array)` and `value op ALL (array)`, for the six comparisons.
///
/// - Source: PostgreSQL's `execExprInterp.c` (ExecEvalScalarArrayOp).
final class ArrayComparisons {
    private ArrayComparisons() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        for (ArrayOperation.Comparison comparison : ArrayOperation.Comparison.values()) {
            for (boolean all : new boolean[] {false, true}) {
                ArrayWork.put(
                        kernels, comparison.id(all), (work, in, out, row) -> test(work, in, out, row, comparison, all));
            }
        }
    }

    private static void test(
            ArrayWork work, Arguments in, Vector out, int row, ArrayOperation.Comparison comparison, boolean all) {
        if (in.isNull(1)) {
            out.setAbsent(row);
            return;
        }
        ArrayElements array = work.array;
        array.openAny(in.text(1));
        boolean isUnknown = false;
        boolean isNull = in.isNull(0);
        boolean byText = work.form.isEqualAsText() && comparison.isEquality();
        TextBuffer wanted = isNull ? null : byText ? work.text(in, 0) : key(work, in);
        while (array.next()) {
            if (isNull || array.isNull) {
                isUnknown = true;
                continue;
            }
            int order;
            if (byText) {
                order = Arrays.equals(
                                wanted.array(),
                                0,
                                wanted.length(),
                                array.bytes,
                                array.start,
                                array.start + array.length)
                        ? 0
                        : 1;
            } else {
                work.key.clear();
                work.form.appendKey(array, work.key);
                order = ElementForm.compare(wanted, work.key);
            }
            if (comparison.holds(order) != all) {
                Results.bool(out, row, !all);
                return;
            }
        }
        Results.undecided(out, row, isUnknown, all);
    }

    private static TextBuffer key(ArrayWork work, Arguments in) {
        work.text.clear();
        work.form.appendKey(in, 0, work.text);
        return work.text;
    }
}
