package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.ArrayText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// The parts of a text between separators, as an array or as rows.
///
/// - Source: PostgreSQL's `varlena.c` (split_text).
final class SplitKernels {
    private SplitKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        for (String id : new String[] {"text_to_array", "text_to_array_null"}) {
            kernels.put(id, () -> BatchFunction.eachRow(SplitKernels::array));
        }
    }

    static void registerRows(Map<String, RowsFunction> kernels) {
        kernels.put("text_to_table", arguments -> {
            List<String> texts =
                    Arrays.stream(arguments).map(String.class::cast).toList();
            return texts.getFirst() == null
                    ? List.of().iterator()
                    : parts(texts).iterator();
        });
    }

    /// `(text, separator [, text for NULL])`
    private static void array(Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        List<String> texts = new ArrayList<>();
        for (int argument = 0; argument < in.count(); argument++) {
            texts.add(in.isNull(argument) ? null : in.text(argument).string());
        }
        Results.set(out, row, ArrayText.format(parts(texts)));
    }

    /// Without a separator every character is a part; an empty one divides nothing.
    private static List<String> parts(List<String> texts) {
        String text = texts.get(0);
        String separator = texts.get(1);
        String ofNull = texts.size() > 2 ? texts.get(2) : null;
        List<String> parts = new ArrayList<>();
        if (separator == null) {
            text.codePoints().mapToObj(Character::toString).forEach(parts::add);
        } else if (separator.isEmpty()) {
            parts.addAll(text.isEmpty() ? List.of() : List.of(text));
        } else if (!text.isEmpty()) {
            int from = 0;
            for (int found = text.indexOf(separator); found >= 0; found = text.indexOf(separator, from)) {
                parts.add(text.substring(from, found));
                from = found + separator.length();
            }
            parts.add(text.substring(from));
        }
        parts.replaceAll(part -> part.equals(ofNull) ? null : part);
        return parts;
    }
}
