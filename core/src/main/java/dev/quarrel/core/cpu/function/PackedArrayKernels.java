package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.elements.PackedGet;
import dev.quarrel.core.cpu.elements.PackedSearch;
import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.pg.PgType;
import java.util.Map;
import java.util.function.Function;

/// Subscripts and `= ANY` of arrays as [PackedArrays] has them: elements are read where they lie.
final class PackedArrayKernels {
    private PackedArrayKernels() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        kernels.put(PackedArrays.GET, element -> get(element, false));
        kernels.put(PackedArrays.GET_PRESENT, element -> get(element, true));
        kernels.put(PackedArrays.HAS, element -> search(element, false, true));
        kernels.put(PackedArrays.HAS_PRESENT, element -> search(element, true, true));
        kernels.put(PackedArrays.HOLDS_PRESENT, element -> search(element, true, false));
    }

    private static BatchFunction get(PgType element, boolean hasPresence) {
        PackedGet get = new PackedGet(element, hasPresence);
        return (OfVectors) get::compute;
    }

    private static BatchFunction search(PgType element, boolean hasPresence, boolean isNullWhereUnknown) {
        PackedSearch search = new PackedSearch(element, hasPresence, isNullWhereUnknown);
        return (OfVectors) search::compute;
    }

    /// A function that reads vectors itself.
    @FunctionalInterface
    private interface OfVectors extends BatchFunction {
        @Override
        default boolean readsVectors() {
            return true;
        }
    }
}
