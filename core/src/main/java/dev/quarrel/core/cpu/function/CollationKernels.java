package dev.quarrel.core.cpu.function;

import dev.quarrel.core.collate.LetterCase;
import dev.quarrel.core.collate.SortKeys;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import java.util.Arrays;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/// Sort keys, and upper and lower case, of texts under a collation other than "C".
final class CollationKernels {
    private CollationKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("collation_key", () -> {
            Prepared<SortKeys> keys = new Prepared<>(SortKeys::of);
            return BatchFunction.eachRow((in, out, row) -> {
                SortKeys made = keys.of(in.text(1));
                made.make(in.text(0).string());
                ((TextVector) out).append(row, made.bytes(), 0, made.size());
            });
        });
        kernels.put("collation_value", () -> BatchFunction.eachRow(CollationKernels::value));
        Map.<String, BiFunction<LetterCase, String, String>>of(
                        "upper", LetterCase::upper,
                        "lower", LetterCase::lower,
                        "initcap", LetterCase::title,
                        "casefold", LetterCase::fold)
                .forEach((name, mapping) -> kernels.put("collation_" + name, () -> {
                    Prepared<LetterCase> cases = new Prepared<>(LetterCase::of);
                    return BatchFunction.eachRow((in, out, row) -> Results.set(
                            out,
                            row,
                            mapping.apply(cases.of(in.text(1)), in.text(0).string())));
                }));
    }

    private static void value(Arguments in, Vector out, int row) {
        TextReader key = in.text(0);
        int start = SortKeys.textStart(key.bytes, key.start);
        ((TextVector) out).append(row, key.bytes, start, key.end() - start);
    }

    /// What was made of an argument that is the same from row to row.
    static final class Prepared<T> {
        private final Function<String, T> make;
        private byte[] spec;
        private T prepared;

        Prepared(Function<String, T> make) {
            this.make = make;
        }

        T of(TextReader text) {
            if (spec == null || !Arrays.equals(spec, 0, spec.length, text.bytes, text.start, text.end())) {
                spec = Arrays.copyOfRange(text.bytes, text.start, text.end());
                prepared = make.apply(text.string());
            }
            return prepared;
        }
    }
}
