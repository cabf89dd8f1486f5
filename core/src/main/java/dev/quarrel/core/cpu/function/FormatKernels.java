package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.format.BrokenTime;
import dev.quarrel.core.format.TimePicture;
import dev.quarrel.core.format.TimeReader;
import dev.quarrel.core.format.TimeWriter;
import dev.quarrel.core.pg.NumericForm;
import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/// `to_char`, `to_date`, `to_timestamp` and `to_number` with a format, which is prepared once for all rows that
/// have it.
///
/// - Source: PostgreSQL's `formatting.c`.
final class FormatKernels {
    private FormatKernels() {}

    /// What was made of the format of the row before.
    private static final class Prepared<T> {
        private final Function<String, T> prepare;
        private byte[] format = {};
        private T made;

        Prepared(Function<String, T> prepare) {
            this.prepare = prepare;
        }

        T of(TextReader text) {
            if (made == null || !text.isSame(format)) {
                made = null;
                made = prepare.apply(text.string());
                format = Arrays.copyOfRange(text.bytes, text.start, text.end());
            }
            return made;
        }
    }

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("timestamp_to_char", () -> timestamps(false));
        kernels.put("timestamptz_to_char", () -> timestamps(true));
        kernels.put("interval_to_char", FormatKernels::intervals);
        numbers(kernels, "numeric_to_char", (writer, in) -> writer.write(in.numeric(0)));
        numbers(kernels, "wide_to_char", (writer, in) -> writer.write(wide(in)));
        numbers(kernels, "int4_to_char", (writer, in) -> writer.write(in.int32(0), false));
        numbers(kernels, "int8_to_char", (writer, in) -> writer.write(in.int64(0), true));
        numbers(kernels, "float4_to_char", (writer, in) -> writer.write(in.float32(0)));
        numbers(kernels, "float8_to_char", (writer, in) -> writer.write(in.float64(0)));
        kernels.put("numeric_to_number", () -> {
            Prepared<NumberReader> readers = new Prepared<>(format -> new NumberReader(new NumberPicture(format)));
            return BatchFunction.eachRow((in, out, row) -> Results.set(
                    out,
                    row,
                    in.text(1).length == 0
                            ? null
                            : readers.of(in.text(1)).read(in.text(0).string())));
        });
        kernels.put("to_date", () -> {
            ZoneCache zones = new ZoneCache();
            Prepared<TimePicture> pictures = new Prepared<>(TimePicture::of);
            return BatchFunction.eachRow((in, out, row) -> Results.int32(
                    out, row, reader(pictures, zones, in).date(in.text(0).string())));
        });
        kernels.put("to_timestamp", () -> {
            ZoneCache zones = new ZoneCache();
            Prepared<TimePicture> pictures = new Prepared<>(TimePicture::of);
            return BatchFunction.eachRow((in, out, row) -> Results.set(
                    out, row, reader(pictures, zones, in).timestamp(in.text(0).string(), zones.session(in.text(2)))));
        });
    }

    /// - Errors: 0A000 for NaN and the infinities, as those of 38 digits.
    private static BigDecimal wide(Arguments in) {
        if (NumericForm.value(in.text(0).string()) instanceof BigDecimal number) {
            return number;
        }
        throw Arguments.noNumber();
    }

    private static TimeReader reader(Prepared<TimePicture> pictures, ZoneCache zones, Arguments in) {
        return new TimeReader(pictures.of(in.text(1)), zones.id(in.text(2)));
    }

    private interface Written {
        String of(NumberWriter writer, Arguments in);
    }

    private static void numbers(Map<String, Supplier<BatchFunction>> kernels, String id, Written written) {
        kernels.put(id, () -> {
            Prepared<NumberWriter> writers = new Prepared<>(format -> new NumberWriter(new NumberPicture(format)));
            return BatchFunction.eachRow((in, out, row) ->
                    Results.set(out, row, in.text(1).length == 0 ? "" : written.of(writers.of(in.text(1)), in)));
        });
    }

    private static BatchFunction timestamps(boolean isZoned) {
        Prepared<TimeWriter> writers = new Prepared<>(format -> new TimeWriter(TimePicture.of(format)));
        ZoneCache zones = new ZoneCache();
        BrokenTime time = new BrokenTime();
        return BatchFunction.eachRow((in, out, row) -> {
            long micros = in.int64(0);
            if (CivilDate.isInfinite(micros) || in.text(1).length == 0) {
                Results.set(out, row, null);
                return;
            }
            PgZone zone = isZoned ? zones.session(in.text(2)) : null;
            time.set(micros, zone, isZoned ? zones.id(in.text(2)) : null);
            Results.set(out, row, writers.of(in.text(1)).write(time));
        });
    }

    private static BatchFunction intervals() {
        Prepared<TimeWriter> writers = new Prepared<>(format -> new TimeWriter(TimePicture.of(format)));
        BrokenTime time = new BrokenTime();
        return BatchFunction.eachRow((in, out, row) -> formatInterval(writers, time, in, out, row));
    }

    private static void formatInterval(
            Prepared<TimeWriter> writers, BrokenTime time, Arguments in, Vector out, int row) {
        Interval span = in.interval(0);
        if (!Interval.isFinite(span.calendar(), span.micros()) || in.text(1).length == 0) {
            Results.set(out, row, null);
            return;
        }
        time.set(span);
        Results.set(out, row, writers.of(in.text(1)).write(time));
    }
}
