package dev.quarrel.core.pg;

import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/// A time zone as PostgreSQL knows it: how far its clocks are from UTC at every instant and every local time.
///
/// The zone's transitions are held as one sorted array. Rules that hold for ever repeat after 400 years, for so does
/// the calendar: later times are looked up in the array's last 400 years.
///
/// - Source: PostgreSQL's `datetime.c` (DetermineTimeZoneOffset).
public final class PgZone {
    private static final long SECONDS_PER_DAY = 86_400;
    private static final long CYCLE = 146_097 * SECONDS_PER_DAY;
    /// From here on all zones follow the rules that hold for ever.
    private static final long CYCLE_START =
            Instant.parse("2100-01-01T00:00:00Z").getEpochSecond();

    private static final Map<ZoneRules, PgZone> ZONES = new ConcurrentHashMap<>();
    private static final int MAX_KEPT = 500;

    /// Seconds at which the offset of the same index begins.
    private final long[] starts;
    private final int[] offsets;
    /// Whether the rules have always held too.
    private final boolean isEternal;
    /// The zone whose clocks local times are read from, where it is another.
    private final PgZone clocks;

    private PgZone(ZoneRules rules) {
        long[] times = new long[rules.getTransitions().size() + 1];
        int[] shifts = new int[times.length];
        times[0] = Long.MIN_VALUE;
        shifts[0] = rules.getOffset(Instant.MIN).getTotalSeconds();
        int count = 1;
        ZoneOffsetTransition next = rules.nextTransition(Instant.MIN);
        while (next != null && next.toEpochSecond() < CYCLE_START + CYCLE + 2 * SECONDS_PER_DAY) {
            if (count == times.length) {
                times = Arrays.copyOf(times, count * 2);
                shifts = Arrays.copyOf(shifts, count * 2);
            }
            times[count] = next.toEpochSecond();
            shifts[count++] = next.getOffsetAfter().getTotalSeconds();
            next = rules.nextTransition(next.getInstant());
        }
        this.starts = Arrays.copyOf(times, count);
        this.offsets = Arrays.copyOf(shifts, count);
        this.isEternal = count > 1
                && rules.getTransitions().getFirst().getDateTimeBefore().getYear() == PosixZone.FIRST_YEAR;
        this.clocks = this;
    }

    private PgZone(PgZone clocks, long[] starts, int[] offsets) {
        this.starts = starts;
        this.offsets = offsets;
        this.isEternal = clocks.isEternal;
        this.clocks = clocks;
    }

    /// The same with other offsets: which of them is meant at a local time, this zone's clocks tell.
    ///
    /// @param begins seconds, ascending from the least long, at which the offset of the same index begins; not
    ///     copied
    /// @param meant not copied
    PgZone withOffsets(long[] begins, int[] meant) {
        int first = meant[0];
        return Arrays.stream(meant).allMatch(each -> each == first)
                ? new PgZone(first)
                : new PgZone(this, begins, meant);
    }

    /// The zone of the session, or of its like.
    public static PgZone of(ZoneId id) {
        return of(id.getRules());
    }

    /// The zone that an abbreviation in lower case means; null for another word.
    public static PgZone abbreviated(String word, ZoneId session) {
        WrittenZone.Abbreviated zone = WrittenZone.ofAbbreviation(word, session);
        return zone == null ? null : zone.zone();
    }

    /// The zone that `make_timestamptz` takes: a number of hours east with its sign, or a name.
    ///
    /// - Errors: 22023
    public static PgZone ofNumberOrName(String text, ZoneId session) {
        char first = text.isEmpty() ? ' ' : text.charAt(0);
        if (DateTimeFields.isDigit(first)) {
            throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "invalid input syntax for type numeric time zone: \"" + text + "\"")
                    .withHint("Numeric time zones must have \"-\" or \"+\" as first character.");
        }
        if (first != '+' && first != '-') {
            return named(text, session);
        }
        try {
            int seconds = WrittenZone.ofOffset(text, new DateTimeFault(text, "timestamp with time zone"))
                    .seconds();
            return of(ZoneOffset.ofTotalSeconds(seconds));
        } catch (QueryException fault) {
            if (fault.state() == SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, "numeric time zone \"" + text + "\" out of range");
            }
            return named(text, session);
        }
    }

    static PgZone of(ZoneRules rules) {
        PgZone known = ZONES.get(rules);
        if (known != null) {
            return known;
        }
        if (ZONES.size() > MAX_KEPT) {
            ZONES.clear();
        }
        PgZone made = new PgZone(rules);
        ZONES.put(rules, made);
        return made;
    }

    /// The zone that a statement names: by an abbreviation, the name of a place, or a POSIX specification.
    ///
    /// - Errors: 22023 if there is none.
    ///
    /// @param session may give abbreviations meanings of its own
    public static PgZone named(String name, ZoneId session) {
        String lower = name.toLowerCase(Locale.ROOT);
        PgZone abbreviated = abbreviated(lower, session);
        if (abbreviated != null) {
            return abbreviated;
        }
        WrittenZone.Named named = WrittenZone.named(lower);
        if (named == null) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "time zone \"" + name + "\" not recognized");
        }
        return named.zone();
    }

    /// The zone that is an interval east of UTC.
    ///
    /// - Errors: 22023 for months, days, or an infinite one.
    public static PgZone of(Interval offset) {
        if (!Interval.isFinite(offset.calendar(), offset.micros())) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "interval time zone \"" + text(offset) + "\" must be finite");
        }
        if (offset.months() != 0 || offset.days() != 0) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "interval time zone \"" + text(offset) + "\" must not include months or days");
        }
        return new PgZone(offset.micros() / CivilDate.MICROS_PER_SECOND);
    }

    private static String text(Interval interval) {
        TextBuffer text = new TextBuffer();
        PgText.appendInterval(interval.calendar(), interval.micros(), text);
        return new String(text.toByteArray(), StandardCharsets.US_ASCII);
    }

    private PgZone(long seconds) {
        this.starts = new long[] {Long.MIN_VALUE};
        this.offsets = new int[] {Math.toIntExact(seconds)};
        this.isEternal = false;
        this.clocks = this;
    }

    /// Seconds at which another offset begins, ascending from the least long.
    LongStream begins() {
        return Arrays.stream(starts);
    }

    /// The offset that it has at all times; null for one that has several.
    Integer fixedOffset() {
        return offsets.length == 1 ? offsets[0] : null;
    }

    /// Seconds east of UTC at an instant.
    public int offsetAt(long epochSecond) {
        return offsets[segment(inArray(epochSecond))];
    }

    /// Seconds east of UTC at a local time. In a gap it is the offset before it, in an overlap the later one.
    public int offsetOfLocal(long localSecond) {
        if (clocks != this) {
            return offsetAt(localSecond - clocks.offsetOfLocal(localSecond));
        }
        long local = inArray(localSecond);
        int next = segment(local - SECONDS_PER_DAY) + 1;
        if (next >= starts.length) {
            return offsets[next - 1];
        }
        int before = offsets[next - 1];
        int after = offsets[next];
        long boundary = starts[next];
        if (local - before < boundary && local - after < boundary) {
            return before;
        }
        if (local - before > boundary && local - after >= boundary) {
            return after;
        }
        return before < after ? before : after;
    }

    /// The second that it repeats, where what it was last or first goes on for ever.
    long inArray(long second) {
        if (second >= CYCLE_START + CYCLE) {
            return CYCLE_START + (second - CYCLE_START) % CYCLE;
        }
        return isEternal && second < CYCLE_START - CYCLE
                ? CYCLE_START - CYCLE + Math.floorMod(second - CYCLE_START, CYCLE)
                : second;
    }

    private int segment(long second) {
        int found = Arrays.binarySearch(starts, second);
        return found >= 0 ? found : -found - 2;
    }

    /// The local time of an instant, both in microseconds; infinities stay.
    ///
    /// - Errors: 22008 out of range.
    public long toLocal(long micros) {
        if (CivilDate.isInfinite(micros)) {
            return micros;
        }
        return moved(micros, offsetAt(Math.floorDiv(micros, CivilDate.MICROS_PER_SECOND)));
    }

    /// The instant of a local time, both in microseconds; infinities stay.
    ///
    /// - Errors: 22008 out of range.
    public long toInstant(long localMicros) {
        if (CivilDate.isInfinite(localMicros)) {
            return localMicros;
        }
        return moved(localMicros, -offsetOfLocal(Math.floorDiv(localMicros, CivilDate.MICROS_PER_SECOND)));
    }

    /// The instant at which clocks show a local time, both in microseconds: the one at which they skip it where they
    /// do, which [#toInstant] moves by what they skip. Infinities stay.
    ///
    /// - Errors: 22008 out of range.
    public long toShownInstant(long localMicros) {
        long instant = toInstant(localMicros);
        if (clocks != this || CivilDate.isInfinite(localMicros) || toLocal(instant) == localMicros) {
            return instant;
        }
        long second = inArray(Math.floorDiv(instant, CivilDate.MICROS_PER_SECOND));
        long passed = second - starts[segment(second)];
        return instant - passed * CivilDate.MICROS_PER_SECOND - Math.floorMod(instant, CivilDate.MICROS_PER_SECOND);
    }

    private static long moved(long micros, int seconds) {
        long shift = seconds * CivilDate.MICROS_PER_SECOND;
        long sum = micros + shift;
        if (((micros ^ sum) & (shift ^ sum)) < 0 || !CivilDate.isValidTimestamp(sum)) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
        }
        return sum;
    }
}
