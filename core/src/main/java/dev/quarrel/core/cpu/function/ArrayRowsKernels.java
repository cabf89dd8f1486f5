package dev.quarrel.core.cpu.function;

import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/// Functions that give rows out of arrays: `unnest` and `generate_subscripts`.
///
/// - Source: PostgreSQL's `arrayfuncs.c` (array_unnest, generate_subscripts).
final class ArrayRowsKernels {
    private ArrayRowsKernels() {}

    static void register(Map<String, Function<PgType, RowsFunction>> kernels) {
        kernels.put("array_unnest", element -> {
            ElementForm form = new ElementForm(element);
            return arguments -> ArrayText.parseNested((String) arguments[0]).elements().stream()
                    .map(each -> each == null ? null : form.value(each))
                    .iterator();
        });
        kernels.put("generate_subscripts_nodir", _ -> arguments -> subscripts(arguments, false));
        kernels.put("generate_subscripts", _ -> arguments -> subscripts(arguments, (Boolean) arguments[2]));
    }

    private static Iterator<?> subscripts(Object[] arguments, boolean isReversed) {
        ArrayText.Nested array = ArrayText.parseNested((String) arguments[0]);
        long dimension = (Long) arguments[1];
        if (dimension < 1 || dimension > array.lengths().size()) {
            return java.util.Collections.emptyIterator();
        }
        int first = array.firsts().get((int) dimension - 1);
        int length = array.lengths().get((int) dimension - 1);
        return IntStream.range(0, length)
                .mapToObj(index -> (long) (isReversed ? first + length - 1 - index : first + index))
                .iterator();
    }
}
