package dev.quarrel.core.json.search;

import dev.quarrel.core.format.TimeFields;
import dev.quarrel.core.format.TimePicture;
import dev.quarrel.core.format.TimePicture.Part;
import dev.quarrel.core.format.TimeReader;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.pg.TimeTz;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// A date or time that a path has made of a string, or that a variable is.
///
/// - Source: PostgreSQL's `formatting.c` (parse_datetime), `json.c` (JsonEncodeDateTime), `jsonpath_exec.c`
///   (compareDatetime).
///
/// @param value of a DATE days since 1970, of a timestamp microseconds since then, of a time microseconds since
///     midnight
/// @param west of a TIMETZ or TIMESTAMPTZ, seconds west of Greenwich in which it is shown
public record PathTime(Kind kind, long value, int west) implements JsonValue.Moment {
    /// The types, by the names that the method type() has for them, and those of messages.
    public enum Kind {
        DATE("date", "date"),
        TIME("time without time zone", "time"),
        TIMETZ("time with time zone", "timetz"),
        TIMESTAMP("timestamp without time zone", "timestamp"),
        TIMESTAMPTZ("timestamp with time zone", "timestamptz");

        private final String title;
        private final String typeName;

        Kind(String title, String typeName) {
            this.title = title;
            this.typeName = typeName;
        }

        String title() {
            return title;
        }

        /// `pg_type.typname`.
        public String typeName() {
            return typeName;
        }

        boolean isTime() {
            return this == TIME || this == TIMETZ;
        }
    }

    /// Reads a value of a type as that type shows it.
    ///
    /// @param typeName `pg_type.typname`
    public static PathTime of(String typeName, String text) {
        return switch (typeName) {
            case "date" -> new PathTime(Kind.DATE, PgParse.date(text), 0);
            case "time" -> new PathTime(Kind.TIME, PgParse.time(text), 0);
            case "timestamp" -> new PathTime(Kind.TIMESTAMP, PgParse.timestamp(text), 0);
            // It is shown in UTC.
            case "timestamptz" -> new PathTime(Kind.TIMESTAMPTZ, PgParse.timestampTz(text), 0);
            case "timetz" -> {
                TimeTz time = TimeTz.of(text);
                yield new PathTime(Kind.TIMETZ, time.micros(), time.west());
            }
            default -> throw new IllegalArgumentException(typeName);
        };
    }

    /// Reads a text in a format, whose fields say what it is.
    ///
    /// - Errors: 22007, 22008, 22009.
    static PathTime read(String text, TimePicture picture, PathClock clock) {
        TimeFields fields = TimeReader.standard(picture, clock.id()).read(text);
        boolean isTimed = picture.has(Part.TIME);
        boolean isZoned = picture.has(Part.ZONE);
        if (!picture.has(Part.DATE)) {
            if (!isTimed) {
                throw invalid("datetime format is not dated and not timed");
            }
            PathTime time = isZoned
                    ? new PathTime(Kind.TIMETZ, fields.time(), -fields.zoneOffset())
                    : new PathTime(Kind.TIME, fields.time(), 0);
            return fields.fractionDigits() == 0 ? time : time.rounded(fields.fractionDigits());
        }
        if (!isTimed) {
            if (isZoned) {
                throw invalid("datetime format is zoned but not timed");
            }
            if (!CivilDate.isValidDay(fields.day())) {
                throw overflow("date out of range: \"" + text + "\"");
            }
            return new PathTime(Kind.DATE, fields.day(), 0);
        }
        requireRepresentable(fields.day(), fields.time());
        int offset = isZoned ? fields.zoneOffset() : 0;
        Kind kind = isZoned ? Kind.TIMESTAMPTZ : Kind.TIMESTAMP;
        boolean isDay = fields.day() >= CivilDate.FIRST_DAY && fields.day() <= CivilDate.LAST_TIMESTAMP_DAY;
        long local = isDay ? fields.day() * CivilDate.MICROS_PER_DAY + fields.time() : 0;
        long instant = local - offset * CivilDate.MICROS_PER_SECOND;
        if (fields.day() > 0 && instant < 0) {
            throw late();
        }
        if (!isDay || !CivilDate.isValidTimestamp(instant)) {
            throw overflow(kind.typeName + " out of range");
        }
        PathTime time = new PathTime(kind, instant, -offset);
        return fields.fractionDigits() == 0 ? time : time.rounded(fields.fractionDigits());
    }

    /// - Errors: 0A000 for a timestamp in the last years that PostgreSQL has and we do not: nothing may suppress that.
    private static void requireRepresentable(long day, long time) {
        long lastTime = Long.MAX_VALUE - CivilDate.LAST_TIMESTAMP_DAY * CivilDate.MICROS_PER_DAY;
        boolean isLate = day > CivilDate.LAST_TIMESTAMP_DAY || day == CivilDate.LAST_TIMESTAMP_DAY && time >= lastTime;
        if (isLate && day < CivilDate.toDays(294_277, 1, 1)) {
            throw late();
        }
    }

    private static QueryException late() {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED, "not supported: a timestamp after 294247-01-10 in a jsonpath");
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_DATETIME_FORMAT, message);
    }

    private static QueryException overflow(String message) {
        return new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, message);
    }

    /// With fewer digits of a second.
    ///
    /// @param digits more than six count as six
    PathTime rounded(int digits) {
        long rounded =
                switch (kind) {
                    case DATE -> value;
                    case TIME, TIMETZ -> SecondDigits.roundTime(value, digits);
                    case TIMESTAMP, TIMESTAMPTZ -> SecondDigits.roundTimestamp(value, digits);
                };
        return new PathTime(kind, rounded, west);
    }

    /// As another type; null where that cannot be.
    ///
    /// - Errors: 0A000 where it takes a time zone that may not be used; 22008 out of range.
    PathTime as(Kind wanted, PathClock clock) {
        if (kind == wanted) {
            return this;
        }
        boolean isImpossible =
                switch (wanted) {
                    case DATE, TIMESTAMP, TIMESTAMPTZ -> kind.isTime();
                    case TIME -> kind == Kind.DATE;
                    case TIMETZ -> kind == Kind.DATE || kind == Kind.TIMESTAMP;
                };
        if (isImpossible) {
            return null;
        }
        boolean isZoned = kind == Kind.TIMETZ || kind == Kind.TIMESTAMPTZ;
        boolean becomesZoned = wanted == Kind.TIMETZ || wanted == Kind.TIMESTAMPTZ;
        if (isZoned != becomesZoned) {
            clock.require(kind.typeName, wanted.typeName);
        }
        PgZone zone = clock.zone();
        return switch (wanted) {
            case DATE -> new PathTime(wanted, CivilDate.dayOf(local(zone)), 0);
            case TIME ->
                new PathTime(
                        wanted, kind == Kind.TIMETZ ? value : Math.floorMod(local(zone), CivilDate.MICROS_PER_DAY), 0);
            case TIMETZ -> {
                TimeTz time = kind == Kind.TIME ? TimeTz.ofTime(value, zone) : TimeTz.ofInstant(value, zone);
                yield new PathTime(wanted, time.micros(), time.west());
            }
            case TIMESTAMP -> new PathTime(wanted, kind == Kind.DATE ? midnight() : local(zone), 0);
            case TIMESTAMPTZ -> {
                long local = kind == Kind.DATE ? midnight() : value;
                int offset = zone.offsetOfLocal(Math.floorDiv(local, CivilDate.MICROS_PER_SECOND));
                long instant = local - offset * CivilDate.MICROS_PER_SECOND;
                if (!CivilDate.isValidTimestamp(instant) || local > 0 && instant < 0) {
                    throw overflow(kind == Kind.DATE ? "date out of range for timestamp" : "timestamp out of range");
                }
                yield new PathTime(wanted, instant, -offset);
            }
        };
    }

    /// The local time of a timestamp.
    private long local(PgZone zone) {
        return kind == Kind.TIMESTAMPTZ ? zone.toLocal(value) : value;
    }

    private long midnight() {
        requireRepresentable(value, 0);
        if (value > CivilDate.LAST_TIMESTAMP_DAY) {
            throw overflow("date out of range for timestamp");
        }
        return value * CivilDate.MICROS_PER_DAY;
    }

    /// Null for types that cannot be compared.
    ///
    /// - Errors: 0A000 where it takes a time zone that may not be used.
    Integer compare(PathTime other, PathClock clock) {
        if (kind.isTime() != other.kind.isTime()) {
            return null;
        }
        if (kind == other.kind) {
            return kind == Kind.TIMETZ ? timeTz().compareTo(other.timeTz()) : Long.compare(value, other.value);
        }
        if (kind.compareTo(other.kind) > 0) {
            return -other.compare(this, clock);
        }
        if (other.kind == Kind.TIMETZ || other.kind == Kind.TIMESTAMPTZ) {
            clock.require(kind.typeName, other.kind.typeName);
        }
        if (kind == Kind.TIME) {
            return TimeTz.ofTime(value, clock.zone()).compareTo(other.timeTz());
        }
        return compareTimestamp(other, clock);
    }

    /// A date or timestamp to a timestamp; out of the range of timestamps it is still short of the infinities.
    private int compareTimestamp(PathTime other, PathClock clock) {
        boolean isInfinite = kind == Kind.DATE ? CivilDate.isInfinite((int) value) : CivilDate.isInfinite(value);
        if (isInfinite) {
            return Long.compare(value > 0 ? Long.MAX_VALUE : Long.MIN_VALUE, other.value);
        }
        if (kind == Kind.DATE && value > CivilDate.LAST_TIMESTAMP_DAY) {
            return other.value == CivilDate.TIMESTAMP_INFINITY ? -1 : 1;
        }
        long local = kind == Kind.DATE ? midnight() : value;
        if (other.kind == Kind.TIMESTAMP) {
            return Long.compare(local, other.value);
        }
        int offset = clock.zone().offsetOfLocal(Math.floorDiv(local, CivilDate.MICROS_PER_SECOND));
        long instant = local - offset * CivilDate.MICROS_PER_SECOND;
        if (local > 0 && instant < 0 || instant == CivilDate.TIMESTAMP_INFINITY) {
            return other.value == CivilDate.TIMESTAMP_INFINITY ? -1 : 1;
        }
        if (!CivilDate.isValidTimestamp(instant)) {
            return other.value == CivilDate.TIMESTAMP_MINUS_INFINITY ? 1 : -1;
        }
        return Long.compare(instant, other.value);
    }

    private TimeTz timeTz() {
        return new TimeTz(value, west);
    }

    /// As JSON has it, in ISO 8601.
    @Override
    public String written() {
        TextBuffer out = new TextBuffer();
        switch (kind) {
            case DATE -> PgText.appendDate((int) value, out);
            case TIME, TIMETZ -> PgText.appendTime(value, out);
            case TIMESTAMP -> PgText.appendTimestamp(value, out);
            case TIMESTAMPTZ ->
                PgText.appendTimestamp(
                        CivilDate.isInfinite(value) ? value : value - west * CivilDate.MICROS_PER_SECOND, out);
        }
        String text = out.toString();
        boolean isTimestamp = kind == Kind.TIMESTAMP || kind == Kind.TIMESTAMPTZ;
        if (isTimestamp && !CivilDate.isInfinite(value)) {
            text = text.replaceFirst(" ", "T");
        }
        if (kind == Kind.TIMETZ || kind == Kind.TIMESTAMPTZ && !CivilDate.isInfinite(value)) {
            int era = text.endsWith(" BC") ? text.length() - 3 : text.length();
            text = text.substring(0, era) + offset() + text.substring(era);
        }
        return text;
    }

    private String offset() {
        int seconds = Math.abs(west);
        String text = (west <= 0 ? "+" : "-") + "%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60);
        return seconds % 60 == 0 ? text : text + ":%02d".formatted(seconds % 60);
    }

    /// As PostgreSQL shows a value of the type.
    public String text(PathClock clock) {
        TextBuffer out = new TextBuffer();
        switch (kind) {
            case DATE -> PgText.appendDate((int) value, out);
            case TIME -> PgText.appendTime(value, out);
            case TIMETZ -> out.append(timeTz().text());
            case TIMESTAMP -> PgText.appendTimestamp(value, out);
            case TIMESTAMPTZ -> {
                boolean isInfinite = CivilDate.isInfinite(value);
                long second = isInfinite ? 0 : Math.floorDiv(value, CivilDate.MICROS_PER_SECOND);
                PgText.appendTimestampTz(value, clock.zone().offsetAt(second), out);
            }
        }
        return out.toString();
    }
}
