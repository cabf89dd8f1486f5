package dev.quarrel.core.csv;

import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Finds the type that all values of a column are written as: the first of bigint, double precision, boolean, date,
/// timestamp, timestamp with time zone, uuid; else text.
///
/// Numbers that begin with a zero are texts, such as postal codes.
final class TypeGuess {
    private record Candidate(PgType type, Pattern pattern) {}

    private static final List<Candidate> CANDIDATES = List.of(
            new Candidate(PgType.INT8, Pattern.compile("-?(0|[1-9][0-9]{0,18})")),
            new Candidate(
                    PgType.FLOAT8, Pattern.compile("[-+]?(0|[1-9][0-9]*)?(\\.[0-9]+)?([eE][-+]?[0-9]{1,3})?|NaN")),
            new Candidate(PgType.BOOL, Pattern.compile("t|f|true|false|TRUE|FALSE|True|False")),
            new Candidate(PgType.DATE, Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")),
            new Candidate(
                    PgType.TIMESTAMP,
                    Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6})?)?)?")),
            new Candidate(
                    PgType.TIMESTAMPTZ,
                    Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6})?)?"
                            + "(Z|[-+][0-9]{2}(:?[0-9]{2})?)")),
            new Candidate(PgType.UUID, Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")));

    private final List<Candidate> left = new ArrayList<>(CANDIDATES);
    private boolean isAny;

    void add(String value) {
        isAny = true;
        left.removeIf(candidate -> value.isEmpty() || !fits(candidate, value));
    }

    private static boolean fits(Candidate candidate, String value) {
        if (!candidate.pattern().matcher(value).matches()) {
            return false;
        }
        try {
            PgParse.literal(value, new PgType.Declared(candidate.type(), PgType.NO_TYPMOD));
            return true;
        } catch (QueryException _) {
            return false; // the 30th of February
        }
    }

    PgType type() {
        return isAny && !left.isEmpty() ? left.getFirst().type() : PgType.TEXT;
    }
}
