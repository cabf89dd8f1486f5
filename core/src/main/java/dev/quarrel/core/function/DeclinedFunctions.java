package dev.quarrel.core.function;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Functions of PostgreSQL that are declined for a reason that is worth telling: a call is 0A000 with it as detail.
final class DeclinedFunctions {
    static final Map<String, String> REASONS = reasons();

    private DeclinedFunctions() {}

    private static Map<String, String> reasons() {
        Map<String, String> reasons = new HashMap<>();
        put(reasons, "Quarrel has no values of type xml.", List.of("xmlagg"));
        put(
                reasons,
                "Statements read an immutable snapshot: a value that changes between rows has no place in their plans.",
                List.of("array_sample", "array_shuffle"));
        put(reasons, "Random numbers are not repeated: nothing seeds them.", List.of("setseed"));
        return Map.copyOf(reasons);
    }

    private static void put(Map<String, String> reasons, String reason, List<String> names) {
        names.forEach(name -> reasons.put(name, reason));
    }
}
