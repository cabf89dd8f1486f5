package dev.quarrel.tests;

import dev.quarrel.tests.RegressionReport.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What two answers to one query say about the second.
///
/// Rows are compared without their order; types with, modifiers of types not.
record RegressionVerdict(Outcome outcome, String message) {
    private static final int SHOWN_LINES = 4;
    private static final int ULPS = 2;

    static RegressionVerdict of(SqlAnswer right, SqlAnswer answer) {
        return switch (right) {
            case SqlAnswer.Done() -> new RegressionVerdict(Outcome.NOT_APPLICABLE, "no rows");
            case SqlAnswer.Failure failure -> ofFailure(failure, answer);
            case SqlAnswer.Rows rows ->
                switch (answer) {
                    case SqlAnswer.Done() -> new RegressionVerdict(Outcome.WRONG_ROWS, "no answer");
                    case SqlAnswer.Failure failure -> ofRefusal(failure);
                    case SqlAnswer.Rows others -> ofRows(rows, others);
                };
        };
    }

    private static RegressionVerdict ofFailure(SqlAnswer.Failure right, SqlAnswer answer) {
        if (!(answer instanceof SqlAnswer.Failure failure)) {
            if (right.sqlState().equals("42P01")) {
                return new RegressionVerdict(Outcome.NOT_APPLICABLE, "a table that is gone, but in the copy");
            }
            return new RegressionVerdict(Outcome.NO_ERROR, right.sqlState() + " " + right.message());
        }
        if (right.sqlState().equals(failure.sqlState())) {
            return new RegressionVerdict(Outcome.SAME_ERROR, right.sqlState());
        }
        Outcome outcome = failure.sqlState().equals("0A000") ? Outcome.DECLINED_ERROR : Outcome.OTHER_ERROR;
        if (ofRefusal(failure).outcome() == Outcome.INTERNAL) {
            outcome = Outcome.INTERNAL;
        }
        return new RegressionVerdict(
                outcome,
                outcome == Outcome.DECLINED_ERROR
                        ? failure.message() + "\n" + right.sqlState() + " " + right.message()
                        : right.sqlState() + " became " + failure.sqlState() + ": " + failure.message() + "\n"
                                + right.message());
    }

    private static RegressionVerdict ofRefusal(SqlAnswer.Failure failure) {
        String state = failure.sqlState();
        Outcome outcome = state.equals("0A000")
                ? Outcome.DECLINED
                : state.startsWith("XX") || state.startsWith("08")
                        ? Outcome.INTERNAL
                        : state.equals("57014")
                                ? Outcome.SLOW
                                : state.startsWith("42") ? Outcome.REFUSED : Outcome.FAILED;
        return new RegressionVerdict(
                outcome, outcome == Outcome.DECLINED ? failure.message() : state + " " + failure.message());
    }

    private static RegressionVerdict ofRows(SqlAnswer.Rows right, SqlAnswer.Rows answer) {
        List<String> columns = plain(right.columns());
        if (!columns.equals(plain(answer.columns()))) {
            return new RegressionVerdict(
                    Outcome.WRONG_COLUMNS, "columns " + columns + " became " + plain(answer.columns()));
        }
        List<String> wanted = new ArrayList<>(right.lines(true));
        List<String> found = new ArrayList<>(answer.lines(true));
        if (wanted.equals(found)) {
            return new RegressionVerdict(Outcome.AGREES, "");
        }
        if (areClose(right, answer)) {
            return new RegressionVerdict(Outcome.DIGITS, difference(wanted, found));
        }
        return new RegressionVerdict(Outcome.WRONG_ROWS, "rows differ\n" + difference(wanted, found));
    }

    // The driver calls a column with a sequence by an alias of its type.
    private static final Map<String, String> ALIASES =
            Map.of("serial", "int4", "bigserial", "int8", "smallserial", "int2");

    private static List<String> plain(List<String> columns) {
        List<String> plain = new ArrayList<>();
        for (String column : columns) {
            int space = column.lastIndexOf(' ');
            String type = column.substring(space + 1)
                    .replaceAll("\\([-\\d,]*\\)$", "")
                    .replace("\"public\".", "");
            plain.add(column.substring(0, space + 1) + ALIASES.getOrDefault(type, type));
        }
        return plain;
    }

    private static String difference(List<String> wanted, List<String> found) {
        List<String> missing = new ArrayList<>(wanted);
        found.forEach(missing::remove);
        List<String> extra = new ArrayList<>(found);
        wanted.forEach(extra::remove);
        StringBuilder text = new StringBuilder(wanted.size() + " rows, and " + found.size() + "\n");
        missing.stream()
                .limit(SHOWN_LINES)
                .forEach(line -> text.append("  < ").append(line).append('\n'));
        extra.stream()
                .limit(SHOWN_LINES)
                .forEach(line -> text.append("  > ").append(line).append('\n'));
        return text.toString();
    }

    private static boolean areClose(SqlAnswer.Rows right, SqlAnswer.Rows answer) {
        if (right.rows().size() != answer.rows().size()) {
            return false;
        }
        for (int row = 0; row < right.rows().size(); row++) {
            for (int column = 0; column < right.columns().size(); column++) {
                String type = right.columns().get(column).replaceAll("^.* ", "");
                if (!areClose(
                        type,
                        right.rows().get(row).get(column),
                        answer.rows().get(row).get(column))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean areClose(String type, String right, String answer) {
        if (right == null || answer == null || right.equals(answer)) {
            return right == null ? answer == null : right.equals(answer);
        }
        try {
            return switch (type) {
                case "float4" ->
                    Math.abs(Float.parseFloat(right) - Float.parseFloat(answer))
                            <= ULPS * Math.ulp(Float.parseFloat(right));
                case "float8" ->
                    Math.abs(Double.parseDouble(right) - Double.parseDouble(answer))
                            <= ULPS * Math.ulp(Double.parseDouble(right));
                default -> false;
            };
        } catch (NumberFormatException notFinite) {
            return false;
        }
    }
}
