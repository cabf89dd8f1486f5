package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.RecordText;
import dev.quarrel.core.pg.RowShape;
import dev.quarrel.core.pg.TextBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of any number of values, which come as their texts.
///
/// - Source: PostgreSQL's `varlena.c` (text_concat_ws), `misc.c` (pg_num_nulls).
final class VariadicKernels {
    private VariadicKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("text_concat_ws", () -> BatchFunction.eachRow(VariadicKernels::joined));
        kernels.put("record_out", () -> BatchFunction.eachRow(VariadicKernels::record));
        kernels.put(
                "record_array",
                () -> BatchFunction.eachRow((in, out, row) -> Results.set(
                        out, row, ArrayText.format(List.of(in.text(0).string())))));
        kernels.put(
                "record_append",
                () -> BatchFunction.eachRow((in, out, row) -> {
                    List<String> rows = new ArrayList<>(
                            ArrayText.parseNested(in.text(0).string()).elements());
                    rows.add(in.text(1).string());
                    Results.set(out, row, ArrayText.format(rows));
                }));
        kernels.put(
                "record_key",
                () -> ofKeys(1, (keys, in, out, row) -> {
                    TextBuffer key = keys.ofRow(in.text(0));
                    ((TextVector) out).append(row, key.array(), 0, key.length());
                }));
        kernels.put(
                "record_array_key",
                () -> ofKeys(1, (keys, in, out, row) -> {
                    TextBuffer key = keys.ofRows(in.text(0));
                    ((TextVector) out).append(row, key.array(), 0, key.length());
                }));
        kernels.put(
                "record_ranked",
                () -> ofKeys(
                        1, (keys, in, out, row) -> ValueKernels.rank(keys.ofRow(in.text(0)), in.text(0), out, row)));
        kernels.put(
                "record_array_ranked",
                () -> ofKeys(
                        1, (keys, in, out, row) -> ValueKernels.rank(keys.ofRows(in.text(0)), in.text(0), out, row)));
        kernels.put("record_unranked", () -> BatchFunction.eachRow(ValueKernels::unranked));
        kernels.put(
                "record_is_in",
                () -> ofKeys(2, (keys, in, out, row) -> {
                    TextBuffer key = keys.ofRow(in.text(1));
                    byte[] wanted = Arrays.copyOf(key.array(), key.length());
                    boolean isIn = false;
                    for (String each :
                            ArrayText.parseNested(in.text(0).string()).elements()) {
                        TextBuffer other = keys.ofRow(each);
                        isIn |= Arrays.equals(wanted, 0, wanted.length, other.array(), 0, other.length());
                    }
                    Results.bool(out, row, isIn);
                }));
        kernels.put(
                "record_next_depth",
                () -> BatchFunction.eachRow((in, out, row) -> {
                    int count = RowShape.parse(in.text(1).string()).fields().size();
                    String depth = RecordText.parse(in.text(0).string(), count).getFirst();
                    Results.set(out, row, Long.parseLong(depth) + 1);
                }));
        kernels.put(
                "record_field",
                () -> BatchFunction.eachRow((in, out, row) -> Results.set(
                        out,
                        row,
                        RecordText.parse(in.text(0).string(), in.int32(2)).get(in.int32(1)))));
        kernels.put("pg_num_nulls", () -> BatchFunction.eachRow((in, out, row) -> Results.int32(out, row, nulls(in))));
        kernels.put(
                "pg_num_nonnulls",
                () -> BatchFunction.eachRow((in, out, row) -> Results.int32(out, row, in.count() - nulls(in))));
        for (String id : new String[] {"text_format", "text_format_nv"}) {
            kernels.put(id, () -> BatchFunction.eachRow(VariadicKernels::format));
        }
        kernels.put("text_format_array", () -> {
            ArrayElements array = new ArrayElements();
            return BatchFunction.eachRow((in, out, row) -> formatArray(array, in, out, row));
        });
        kernels.put("pg_num_nulls_array", () -> {
            ArrayElements array = new ArrayElements();
            return BatchFunction.eachRow((in, out, row) -> Results.int32(out, row, nulls(array, in.text(0))));
        });
        kernels.put("pg_num_nonnulls_array", () -> {
            ArrayElements array = new ArrayElements();
            return BatchFunction.eachRow((in, out, row) -> {
                array.openAny(in.text(0));
                int count = array.count();
                Results.int32(out, row, count - nulls(array, in.text(0)));
            });
        });
    }

    private interface OfKeys {
        void compute(RowKeys keys, Arguments in, Vector out, int row);
    }

    /// A function that compares rows, whose shape is one of its arguments.
    private static BatchFunction ofKeys(int shape, OfKeys function) {
        CollationKernels.Prepared<RowKeys> keys =
                new CollationKernels.Prepared<>(text -> new RowKeys(RowShape.parse(text)));
        return BatchFunction.eachRow((in, out, row) -> function.compute(keys.of(in.text(shape)), in, out, row));
    }

    private static int nulls(ArrayElements array, TextReader text) {
        array.openAny(text);
        int nulls = 0;
        while (array.next()) {
            nulls += array.isNull ? 1 : 0;
        }
        return nulls;
    }

    /// `(format, array)`: an array that is NULL is one without elements.
    private static void formatArray(ArrayElements array, Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        List<String> values = new ArrayList<>();
        if (!in.isNull(1)) {
            array.openAny(in.text(1));
            while (array.next()) {
                values.add(
                        array.isNull
                                ? null
                                : new String(array.bytes, array.start, array.length, StandardCharsets.UTF_8));
            }
        }
        Results.set(out, row, new TextFormat(in.text(0).string(), values.toArray(String[]::new)).write());
    }

    private static int nulls(Arguments in) {
        int nulls = 0;
        for (int argument = 0; argument < in.count(); argument++) {
            nulls += in.isNull(argument) ? 1 : 0;
        }
        return nulls;
    }

    /// `(value, …)`: `(1,"a b",)`.
    private static void record(Arguments in, Vector out, int row) {
        StringBuilder text = new StringBuilder("(");
        for (int field = 0; field < in.count(); field++) {
            if (field > 0) {
                text.append(',');
            }
            if (!in.isNull(field)) {
                appendField(in.text(field).string(), text);
            }
        }
        Results.set(out, row, text.append(')').toString());
    }

    /// In quotes where the text is empty or has what means something in a row's text.
    private static void appendField(String value, StringBuilder text) {
        boolean isQuoted =
                value.isEmpty() || value.chars().anyMatch(each -> "\"\\(), \t\n\u000B\f\r".indexOf(each) >= 0);
        if (isQuoted) {
            text.append('"')
                    .append(value.replace("\\", "\\\\").replace("\"", "\"\""))
                    .append('"');
        } else {
            text.append(value);
        }
    }

    /// `(separator, value, …)`
    private static void joined(Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        TextReader separator = in.text(0);
        TextVector result = (TextVector) out;
        result.begin(row, 0);
        boolean isFirst = true;
        for (int argument = 1; argument < in.count(); argument++) {
            if (!in.isNull(argument)) {
                if (!isFirst) {
                    result.extend(row, separator.bytes, separator.start, separator.length);
                }
                isFirst = false;
                TextReader value = in.text(argument);
                result.extend(row, value.bytes, value.start, value.length);
            }
        }
    }

    /// `(format, value, …)`
    private static void format(Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        String[] values = new String[in.count() - 1];
        for (int value = 0; value < values.length; value++) {
            values[value] = in.isNull(value + 1) ? null : in.text(value + 1).string();
        }
        Results.set(out, row, new TextFormat(in.text(0).string(), values).write());
    }
}
