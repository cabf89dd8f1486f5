package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.TextBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;

/// `string_to_array`: a text cut at a separator, or into its characters.
///
/// - Source: PostgreSQL's `varlena.c` (text_to_array, split_text).
final class SplitKernels {
    private final ArrayBuilder builder = new ArrayBuilder();
    private final TextBuffer part = new TextBuffer();
    private TextReader ofNull;

    private SplitKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("text_to_array", SplitKernels::kernel);
        kernels.put("text_to_array_null", SplitKernels::kernel);
    }

    private static BatchFunction kernel() {
        SplitKernels split = new SplitKernels();
        return BatchFunction.eachRow(split::split);
    }

    private void split(Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        ofNull = in.count() > 2 && !in.isNull(2) ? in.text(2) : null;
        TextReader text = in.text(0);
        builder.clear();
        if (text.length > 0 && in.isNull(1)) {
            characters(text);
        } else if (text.length > 0 && in.text(1).length == 0) {
            add(text.bytes, text.start, text.length);
        } else if (text.length > 0) {
            cut(text, in.text(1));
        }
        builder.put(out, row);
    }

    private void characters(TextReader text) {
        int from = text.start;
        for (int at = text.start + 1; at <= text.end(); at++) {
            boolean isWhole = at == text.end() || (text.bytes[at] & 0xC0) != 0x80;
            if (isWhole) {
                add(text.bytes, from, at - from);
                from = at;
            }
        }
    }

    /// The separator's bytes are found at borders of characters alone: it is valid UTF-8.
    private void cut(TextReader text, TextReader separator) {
        int from = text.start;
        for (int at = text.start; at <= text.end() - separator.length; ) {
            if (Arrays.equals(
                    text.bytes,
                    at,
                    at + separator.length,
                    separator.bytes,
                    separator.start,
                    separator.start + separator.length)) {
                add(text.bytes, from, at - from);
                at += separator.length;
                from = at;
            } else {
                at++;
            }
        }
        add(text.bytes, from, text.end() - from);
    }

    private void add(byte[] bytes, int start, int length) {
        if (ofNull != null
                && Arrays.equals(
                        bytes, start, start + length, ofNull.bytes, ofNull.start, ofNull.start + ofNull.length)) {
            builder.addNull();
            return;
        }
        part.clear();
        part.append(MemorySegment.ofArray(bytes), start, length);
        builder.add(part);
    }
}
