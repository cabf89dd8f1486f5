package dev.quarrel.core.pg;

import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// A unit of time as `extract` and `date_trunc` name it, with all its names.
///
/// - Source: PostgreSQL's `datetime.c` (DecodeUnits, DecodeSpecial).
public enum DateUnit {
    YEAR("y year years yr yrs"),
    QUARTER("qtr quarter"),
    MONTH("mon mons month months"),
    DAY("d day days"),
    HOUR("h hour hours hr hrs"),
    MINUTE("m min mins minute minutes mm"),
    SECOND("s sec second seconds secs"),
    MILLISECONDS("ms msec msecond mseconds msecs millisecond milliseconds"),
    MICROSECONDS("us usec usecond useconds usecs microsecond microseconds"),
    DOW("dow"),
    ISODOW("isodow"),
    DOY("doy"),
    WEEK("w week weeks"),
    ISOYEAR("isoyear"),
    DECADE("dec decade decades decs"),
    CENTURY("c cent centuries century"),
    MILLENNIUM("mil mils millennia millennium"),
    EPOCH("epoch"),
    JULIAN("j jd julian"),
    TIMEZONE("timezone"),
    TIMEZONE_HOUR("timezone_h timezone_hour"),
    TIMEZONE_MINUTE("timezone_m timezone_minute"),
    /// A word for a moment, which is no unit of anything.
    NONE("infinity -infinity +infinity allballs now today tomorrow yesterday");

    /// PostgreSQL looks at no more of a name.
    private static final int SIGNIFICANT = 10;

    private static final Map<String, DateUnit> BY_NAME = new HashMap<>();

    static {
        for (DateUnit unit : values()) {
            for (String name : unit.names) {
                BY_NAME.put(cut(name), unit);
            }
        }
    }

    private final String[] names;

    DateUnit(String names) {
        this.names = names.split(" ");
    }

    private static String cut(String name) {
        return name.length() > SIGNIFICANT ? name.substring(0, SIGNIFICANT) : name;
    }

    /// The unit of a name.
    ///
    /// - Errors: 22023 for an unknown one.
    ///
    /// @param type whose unit it would be
    public static DateUnit of(String name, String type) {
        String lower = name.toLowerCase(Locale.ROOT);
        DateUnit unit = BY_NAME.get(cut(lower));
        if (unit == null) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "unit \"" + lower + "\" not recognized for type " + type);
        }
        return unit;
    }

    /// - Returns: an error 0A000
    public static QueryException notSupported(String name, String type) {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "unit \"" + name.toLowerCase(Locale.ROOT) + "\" not supported for type " + type);
    }

    /// Null for a unit that opcodes do not know.
    public DateField field() {
        return ordinal() <= EPOCH.ordinal() ? DateField.valueOf(name()) : null;
    }

    /// Whether it goes on growing with time, so that infinity is its value at infinity.
    public boolean isMonotonic() {
        return switch (this) {
            case YEAR, DECADE, CENTURY, MILLENNIUM, JULIAN, ISOYEAR, EPOCH -> true;
            default -> false;
        };
    }

    /// Whether it is a part of dates alone, which `date_trunc` does not look for.
    private boolean isOfDates(String name) {
        return switch (this) {
            case DOW, DOY, ISODOW, ISOYEAR, JULIAN, EPOCH, NONE -> true;
            case MINUTE -> name.equalsIgnoreCase("mm");
            default -> false;
        };
    }

    /// The unit that `date_trunc` of a timestamp goes down to.
    ///
    /// - Errors: 22023, 0A000.
    public static DateField ofTruncation(String name, String type) {
        DateUnit unit = of(name, type);
        DateField field = unit.field();
        if (unit.isOfDates(name)) {
            throw notRecognized(name, type);
        }
        if (field == null || !field.isUnit()) {
            throw notSupported(name, type);
        }
        return field;
    }

    private static QueryException notRecognized(String name, String type) {
        return new QueryException(
                SqlState.INVALID_PARAMETER_VALUE,
                "unit \"" + name.toLowerCase(Locale.ROOT) + "\" not recognized for type " + type);
    }

    /// The same for an interval.
    ///
    /// - Errors: 22023, 0A000.
    public static DateField ofIntervalTruncation(String name) {
        DateUnit unit = of(name, "interval");
        if (unit.isOfDates(name)) {
            throw notRecognized(name, "interval");
        }
        DateField field = unit.field();
        if (field == null || !field.isUnitOfInterval()) {
            QueryException refused = notSupported(name, "interval");
            throw unit == WEEK ? refused.withDetail("Months usually have fractional weeks.") : refused;
        }
        return field;
    }
}
