package dev.quarrel.core.cpu.function;

import dev.quarrel.core.function.PackedArrays;
import dev.quarrel.core.pg.PgType;
import java.util.Map;
import java.util.function.Function;

/// Subscripts and `= ANY` of arrays as [PackedArrays] has them: elements are read where they lie.
final class PackedArrayKernels {
    private PackedArrayKernels() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        kernels.put(PackedArrays.GET, element -> new PackedGet(element, false));
        kernels.put(PackedArrays.GET_PRESENT, element -> new PackedGet(element, true));
        kernels.put(PackedArrays.HAS, element -> new PackedSearch(element, false, true));
        kernels.put(PackedArrays.HAS_PRESENT, element -> new PackedSearch(element, true, true));
        kernels.put(PackedArrays.HOLDS_PRESENT, element -> new PackedSearch(element, true, false));
    }
}
