package dev.quarrel.core.csv;

import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Finds the type that all values of a column are written as: the first of bigint, double precision, boolean, date,
/// timestamp, timestamp with time zone, uuid; else text. Blanks around a value do not count.
///
/// Numbers that begin with a zero are texts, such as postal codes. Dates begin with the year, for in others nobody can
/// tell the day from the month.
public final class TypeGuess {
    private record Candidate(PgType type, Pattern pattern) {
        boolean isForm(String value) {
            String bare = value.strip();
            return !bare.isEmpty() && pattern.matcher(bare).matches();
        }

        boolean fits(String value) {
            if (!isForm(value)) {
                return false;
            }
            try {
                PgParse.literal(value, new PgType.Declared(type, PgType.NO_TYPMOD));
                return true;
            } catch (QueryException _) {
                return false; // the 30th of February
            }
        }
    }

    private static final String DAY = "[0-9]{4}([-/])[0-9]{1,2}\\1[0-9]{1,2}";
    private static final String TIME = "[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6})?)?";

    private static final List<Candidate> CANDIDATES = List.of(
            new Candidate(PgType.INT8, Pattern.compile("-?(0|[1-9][0-9]{0,18})")),
            new Candidate(
                    PgType.FLOAT8, Pattern.compile("[-+]?(0|[1-9][0-9]*)?(\\.[0-9]*)?([eE][-+]?[0-9]{1,3})?|NaN")),
            new Candidate(PgType.BOOL, Pattern.compile("t|f|true|false|TRUE|FALSE|True|False")),
            new Candidate(PgType.DATE, Pattern.compile(DAY)),
            new Candidate(PgType.TIMESTAMP, Pattern.compile(DAY + "(" + TIME + ")?")),
            new Candidate(PgType.TIMESTAMPTZ, Pattern.compile(DAY + TIME + "(Z|[-+][0-9]{2}(:?[0-9]{2})?)")),
            new Candidate(PgType.UUID, Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")));

    private static final int TEXT_CANDIDATES = 4; // the last of these

    /// The types that take all values of another.
    private static final Map<PgType, PgType> WIDER = Map.of(PgType.INT8, PgType.FLOAT8, PgType.DATE, PgType.TIMESTAMP);

    private List<Candidate> left;
    private boolean isAny;
    private boolean hasNull;
    private boolean hasQuoted;
    // The first value that left no candidate, and what the others leave.
    private String odd;
    private boolean isOddQuoted;
    private boolean hasOthers;
    private List<Candidate> leftWithoutOdd;

    TypeGuess() {
        this(CANDIDATES);
    }

    private TypeGuess(List<Candidate> candidates) {
        this.left = candidates;
        this.leftWithoutOdd = candidates;
    }

    /// Of values that are known to be texts: date, timestamp, timestamp with time zone, uuid; else text.
    public static TypeGuess ofTexts() {
        return new TypeGuess(CANDIDATES.subList(CANDIDATES.size() - TEXT_CANDIDATES, CANDIDATES.size()));
    }

    void addNull() {
        hasNull = true;
    }

    /// @param isQuoted whether it stands between quotes
    public void add(String value, boolean isQuoted) {
        hasQuoted |= isQuoted;
        if (odd == null) {
            List<Candidate> fitting = fitting(left, value);
            if (fitting.isEmpty()) {
                odd = value;
                isOddQuoted = isQuoted;
                leftWithoutOdd = left;
            } else {
                hasOthers = true;
            }
            left = fitting;
        } else if (!leftWithoutOdd.isEmpty() && !value.equals(odd)) {
            hasOthers = true;
            leftWithoutOdd = fitting(leftWithoutOdd, value);
        }
        isAny = true;
    }

    private static List<Candidate> fitting(List<Candidate> candidates, String value) {
        for (Candidate candidate : candidates) {
            if (!candidate.fits(value)) {
                return candidates.stream().filter(each -> each.fits(value)).toList();
            }
        }
        return candidates;
    }

    /// Adds the values of another file's column.
    void add(TypeGuess other) {
        isAny |= other.isAny;
        hasNull |= other.hasNull;
        hasQuoted |= other.hasQuoted;
        hasOthers |= other.hasOthers;
        List<Candidate> others = other.odd == null ? other.left : other.leftWithoutOdd;
        leftWithoutOdd = (odd == null ? left : leftWithoutOdd)
                .stream().filter(others::contains).toList();
        left = left.stream().filter(other.left::contains).toList();
        if (odd == null) {
            odd = other.odd;
            isOddQuoted = other.isOddQuoted;
        } else if (other.odd != null && !other.odd.equals(odd)) {
            leftWithoutOdd = List.of();
        }
    }

    public PgType type() {
        return isAny && !left.isEmpty() ? left.getFirst().type() : PgType.TEXT;
    }

    /// The only value that makes texts of what else would be numbers or times, without quotes; null where there is none
    /// such.
    String odd() {
        return odd != null && !isOddQuoted && !odd.isBlank() && hasOthers && !leftWithoutOdd.isEmpty() ? odd : null;
    }

    /// Whether a row that stands before all others has a value of this column, and not its name.
    ///
    /// - Null: `first` is null for NULL
    boolean isValue(String first, boolean isQuoted) {
        if (first == null) {
            return hasNull || !isAny;
        }
        return type() == PgType.TEXT
                || (!isQuoted || hasQuoted) && (left.getFirst().fits(first) || wider(type(), first) != PgType.TEXT);
    }

    /// Whether a value is written as those of a type are that is found; whether it is one is not looked at.
    static boolean isForm(PgType type, String value) {
        return CANDIDATES.stream().anyMatch(each -> each.type() == type && each.isForm(value));
    }

    /// Whether there is a value.
    boolean isAny() {
        return isAny;
    }

    /// The type of a column that has a value which is none of the type that was found.
    static PgType wider(PgType type, String value) {
        PgType wider = WIDER.getOrDefault(type, PgType.TEXT);
        return wider == PgType.TEXT || isForm(wider, value) ? wider : PgType.TEXT;
    }
}
