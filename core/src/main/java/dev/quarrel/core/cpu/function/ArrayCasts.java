package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.ElementCast;
import dev.quarrel.core.pg.ArrayInput;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import java.util.Map;
import java.util.function.Function;

/// Casts to arrays: of texts, and of arrays of other elements.
///
/// - Source: PostgreSQL's `arrayfuncs.c` (array_in, array_map).
final class ArrayCasts {
    private ArrayCasts() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        kernels.put("array_in", element -> {
            PgType.Declared declared = new PgType.Declared(element, PgType.NO_TYPMOD);
            return BatchFunction.eachRow((in, out, row) -> {
                var text = in.text(0);
                String array = text.string();
                Results.set(out, row, ArrayInput.read(array, declared, PgParse.Moment.utc()));
            });
        });
    }

    /// The cast of arrays of `from` to arrays of `to`.
    static BatchFunction of(PgType from, PgType to) {
        ElementCast cast = ElementCast.of(from, to);
        ArrayWork source = new ArrayWork(from);
        ElementForm target = new ElementForm(to);
        return BatchFunction.eachRow((in, out, row) -> cast(source, target, cast, in, out, row));
    }

    private static void cast(ArrayWork work, ElementForm target, ElementCast cast, Arguments in, Vector out, int row) {
        work.array.openAny(in.text(0));
        work.builder.clear();
        work.builder.shape(work.array);
        while (work.array.next()) {
            if (work.array.isNull) {
                work.builder.addNull();
            } else {
                work.text.clear();
                target.appendText(cast.cast(work.form.value(work.array)), work.text);
                work.builder.add(work.text);
            }
        }
        work.builder.put(out, row);
    }
}
