package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.KeyBytes;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.pg.ValueForm;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.function.Function;

/// What is done with values of every form that are held as texts: reading, and keys by which they order.
final class ValueKernels {
    private ValueKernels() {}

    static void register(Map<String, Function<PgType, BatchFunction>> kernels) {
        kernels.put("value_in", type -> type.form().isReadInZone() ? readerInZone(type.form()) : reader(type.form()));
        kernels.put("value_key", type -> {
            TextBuffer key = new TextBuffer();
            return BatchFunction.eachRow((in, out, row) -> {
                key.clear();
                type.form().appendKey(in.text(0).string(), key);
                put(key, out, row);
            });
        });
        kernels.put("value_ranked", ValueKernels::ranked);
        kernels.put("value_unranked", _ -> BatchFunction.eachRow(ValueKernels::unranked));
    }

    private static BatchFunction reader(ValueForm form) {
        PgParse.Moment moment = PgParse.Moment.utc();
        return BatchFunction.eachRow(
                (in, out, row) -> Results.set(out, row, form.read(in.text(0).string(), PgType.NO_TYPMOD, moment)));
    }

    private static BatchFunction readerInZone(ValueForm form) {
        Instant now = Instant.now();
        return BatchFunction.eachRow((in, out, row) -> {
            ZoneId zone = ZoneId.of(in.text(1).string());
            Results.set(out, row, form.read(in.text(0).string(), PgType.NO_TYPMOD, new PgParse.Moment(zone, now)));
        });
    }

    /// The key, the text behind it, and the key's length.
    private static BatchFunction ranked(PgType type) {
        TextBuffer key = new TextBuffer();
        ArrayWork work = type.isArray() ? new ArrayWork(type.element()) : null;
        return BatchFunction.eachRow((in, out, row) -> {
            key.clear();
            if (work == null) {
                type.form().appendKey(in.text(0).string(), key);
            } else {
                TextBuffer ofArray = ArrayParts.key(work, in);
                key.append(MemorySegment.ofArray(ofArray.array()), 0, ofArray.length());
            }
            rank(key, in.text(0), out, row);
        });
    }

    static void rank(TextBuffer key, TextReader text, Vector out, int row) {
        int length = key.length();
        key.append(MemorySegment.ofArray(text.bytes), text.start, text.length);
        KeyBytes.int32(length, key);
        put(key, out, row);
    }

    static void unranked(Arguments in, Vector out, int row) {
        TextReader ranked = in.text(0);
        int end = ranked.start + ranked.length - Integer.BYTES;
        int start = ranked.start + ByteBuffer.wrap(ranked.bytes).getInt(end);
        ((TextVector) out).append(row, ranked.bytes, start, end - start);
    }

    private static void put(TextBuffer bytes, Vector out, int row) {
        ((TextVector) out).append(row, bytes.array(), 0, bytes.length());
    }
}
