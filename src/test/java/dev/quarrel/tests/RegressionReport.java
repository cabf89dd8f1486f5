package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What came of each statement of PostgreSQL's tests, counted by kind, file and reason.
final class RegressionReport {
    enum Outcome {
        AGREES("agree"),
        /// But for the last digits of floats.
        DIGITS("float digits"),
        /// PostgreSQL refuses it, and Quarrel does with the same SQLSTATE.
        SAME_ERROR("same error"),
        DECLINED("declined (0A000)"),
        REFUSED("refused (class 42)"),
        FAILED("other error"),
        INTERNAL("internal error"),
        SLOW("slow"),
        WRONG_COLUMNS("WRONG columns"),
        WRONG_ROWS("WRONG rows"),
        /// PostgreSQL refuses it, Quarrel answers.
        NO_ERROR("WRONG: no error"),
        /// PostgreSQL refuses it, Quarrel for another reason; no feature is missing.
        OTHER_ERROR("error differs"),
        /// PostgreSQL refuses it, and Quarrel says 0A000.
        DECLINED_ERROR("declined, error in PostgreSQL"),
        NOT_APPLICABLE("not applicable");

        private final String title;

        Outcome(String title) {
            this.title = title;
        }
    }

    record Case(String file, int line, Outcome outcome, String message, String sql) {}

    private final List<Case> cases = new ArrayList<>();

    void add(String file, int line, Outcome outcome, String message, String sql) {
        cases.add(new Case(file, line, outcome, message, sql));
    }

    /// All statements but those that agree.
    String cases() {
        StringBuilder text = new StringBuilder();
        cases.stream()
                .filter(each -> each.outcome() != Outcome.AGREES
                        && each.outcome() != Outcome.SAME_ERROR
                        && each.outcome() != Outcome.NOT_APPLICABLE)
                .sorted(Comparator.comparing(Case::outcome).reversed())
                .forEach(each -> text.append("== %s  %s:%d%n%s%n-- %s%n"
                        .formatted(
                                each.outcome().title,
                                each.file(),
                                each.line(),
                                each.message().strip(),
                                each.sql().strip().replace("\n", "\n   "))));
        return text.toString();
    }

    String summary() {
        StringBuilder text = new StringBuilder();
        text.append("total ").append(cases.size()).append('\n');
        counts(cases).forEach((outcome, count) -> text.append("  %6d  %s%n".formatted(count, outcome.title)));
        text.append("%nper file: answered right / asked (of these: declined, refused, failed or internal, wrong)%n"
                .formatted());
        Map<String, List<Case>> byFile = cases.stream()
                .filter(each -> each.outcome() != Outcome.NOT_APPLICABLE)
                .collect(Collectors.groupingBy(Case::file, TreeMap::new, Collectors.toList()));
        byFile.forEach((file, each) -> text.append(line(file, counts(each))));
        for (Outcome outcome : Outcome.values()) {
            if (outcome != Outcome.AGREES && outcome != Outcome.SAME_ERROR && outcome != Outcome.DIGITS) {
                reasons(outcome, text);
            }
        }
        return text.toString();
    }

    private static Map<Outcome, Integer> counts(List<Case> cases) {
        Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
        cases.forEach(each -> counts.merge(each.outcome(), 1, Integer::sum));
        return counts;
    }

    private static int sum(Map<Outcome, Integer> counts, Outcome... outcomes) {
        int sum = 0;
        for (Outcome outcome : outcomes) {
            sum += counts.getOrDefault(outcome, 0);
        }
        return sum;
    }

    private static String line(String file, Map<Outcome, Integer> counts) {
        int asked = counts.values().stream().mapToInt(Integer::intValue).sum();
        return "  %-28s %5d /%5d   %5d %5d %5d %5d%n"
                .formatted(
                        file,
                        sum(counts, Outcome.AGREES, Outcome.DIGITS, Outcome.SAME_ERROR),
                        asked,
                        sum(counts, Outcome.DECLINED, Outcome.DECLINED_ERROR),
                        sum(counts, Outcome.REFUSED),
                        sum(counts, Outcome.FAILED, Outcome.INTERNAL, Outcome.SLOW, Outcome.OTHER_ERROR),
                        sum(counts, Outcome.WRONG_COLUMNS, Outcome.WRONG_ROWS, Outcome.NO_ERROR));
    }

    private void reasons(Outcome outcome, StringBuilder text) {
        Map<String, List<Case>> byReason = cases.stream()
                .filter(each -> each.outcome() == outcome)
                .collect(Collectors.groupingBy(each -> normalized(each.message())));
        if (byReason.isEmpty()) {
            return;
        }
        text.append("%n%s%n".formatted(outcome.title));
        byReason.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, List<Case>> each) ->
                                each.getValue().size())
                        .reversed()
                        .thenComparing(Map.Entry::getKey))
                .forEach(each -> text.append("  %5d  %-110s %s%n"
                        .formatted(
                                each.getValue().size(),
                                each.getKey(),
                                each.getValue().stream()
                                        .map(Case::file)
                                        .distinct()
                                        .limit(4)
                                        .collect(Collectors.joining(" ")))));
    }

    private static String normalized(String message) {
        String first = message.strip().lines().findFirst().orElse("");
        // Of a syntax error, the place is what tells it from others.
        String unnamed = first.contains("syntax error") ? first : first.replaceAll("\"[^\"]*\"", "\"…\"");
        return unnamed.replaceAll("(?<![\\w.])\\d{1,4}(?![\\w])", "N").replaceAll("\\d{6,}", "N");
    }
}
