package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.type.OtherType;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/// Functions of enums.
///
/// - Source: PostgreSQL's `enum.c` (enum_in).
final class EnumKernels {
    private EnumKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("enum_in", () -> BatchFunction.eachRow(new Labels()::read));
    }

    /// The labels of the rows so far, which are the same ones in every row.
    private static final class Labels {
        private String written;
        private Set<String> labels;

        void read(Arguments in, Vector out, int row) {
            TextReader value = in.text(0);
            String text = value.string();
            String list = in.text(2).string();
            if (!list.equals(written)) {
                labels = Set.copyOf(ArrayText.parse(list));
                written = list;
            }
            if (!labels.contains(text)) {
                throw OtherType.noLabel(in.text(1).string(), text);
            }
            ((TextVector) out).append(row, value.bytes, value.start, value.length);
        }
    }
}
