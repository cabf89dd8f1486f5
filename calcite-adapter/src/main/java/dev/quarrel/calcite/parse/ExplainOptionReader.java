package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.explain.PlanFormat;
import dev.quarrel.calcite.parse.Lexeme.Kind;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Reads the options that stand in parentheses behind EXPLAIN.
///
/// - Source: PostgreSQL's `ParseExplainOptionList`.
final class ExplainOptionReader {
    private static final Set<String> BOOLEANS = Set.of(
            "analyze",
            "verbose",
            "costs",
            "settings",
            "buffers",
            "wal",
            "generic_plan",
            "timing",
            "summary",
            "memory",
            "plans");

    private final LexemeReader in;
    private final List<Option> options = new ArrayList<>();
    private final Map<String, Boolean> chosen = new HashMap<>();
    private PlanFormat format = PlanFormat.TEXT;
    private boolean serializes;

    /// An option as it is written.
    ///
    /// @param value null for none
    private record Option(Lexeme name, Lexeme value, boolean isNegative) {}

    /// Reads the list that opens here.
    ///
    /// - Errors: 42601 for what is no list of options; what its options are, `options` asks.
    ExplainOptionReader(LexemeReader in) {
        this.in = in;
        do {
            in.skip(1);
            Lexeme name = in.peek();
            in.name();
            options.add(option(name));
        } while (in.peek().isSymbol(","));
        in.expectSymbol(")");
    }

    private Option option(Lexeme name) {
        boolean isNegative = in.acceptSymbol("-");
        boolean isSigned = isNegative || in.acceptSymbol("+");
        Lexeme value = in.peek();
        boolean isNumber = value.kind() == Kind.INTEGER || value.kind() == Kind.DECIMAL;
        if (isNumber || !isSigned && (value.isName() || value.kind() == Kind.STRING)) {
            in.skip(1);
            return new Option(name, value, isNegative);
        }
        if (isSigned) {
            throw in.syntaxError(value);
        }
        return new Option(name, null, false);
    }

    /// What the options come to; the last one counts of several of a name.
    ///
    /// - Errors: 42601 for unknown ones, 22023 for wrong values and for options that do not go together, 0A000 for
    /// SERIALIZE.
    ExplainOptions options() {
        options.forEach(this::choose);
        boolean analyze = isOn("analyze", false);
        if (isOn("wal", false) && !analyze) {
            throw requiresAnalyze("WAL");
        }
        if (isOn("timing", false) && !analyze) {
            throw requiresAnalyze("TIMING");
        }
        if (serializes && !analyze) {
            throw requiresAnalyze("SERIALIZE");
        }
        if (isOn("generic_plan", false) && analyze) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together");
        }
        if (serializes) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "EXPLAIN option SERIALIZE is not supported");
        }
        return new ExplainOptions(
                analyze,
                isOn("verbose", false),
                isOn("costs", true),
                isOn("settings", false),
                isOn("buffers", false),
                isOn("generic_plan", false),
                isOn("timing", analyze),
                isOn("summary", analyze),
                isOn("memory", false),
                isOn("plans", false),
                format);
    }

    private boolean isOn(String name, boolean otherwise) {
        return chosen.getOrDefault(name, otherwise);
    }

    private static QueryException requiresAnalyze(String option) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "EXPLAIN option " + option + " requires ANALYZE");
    }

    private void choose(Option option) {
        String name = option.name().text().equals("analyse") && option.name().kind() == Kind.WORD
                ? "analyze"
                : option.name().text();
        switch (name) {
            case "format" -> format = format(option);
            case "serialize" -> serializes = serializes(option);
            default -> {
                if (!BOOLEANS.contains(name)) {
                    throw new QueryException(SqlState.SYNTAX_ERROR, "unrecognized EXPLAIN option \"" + name + "\"")
                            .withPosition(in.position(option.name()));
                }
                chosen.put(name, bool(name, option));
            }
        }
    }

    private static boolean bool(String name, Option option) {
        if (option.value() == null) {
            return true;
        }
        boolean isNumber = option.value().kind() == Kind.DECIMAL || option.isNegative();
        return switch (isNumber ? "" : option.value().text().toLowerCase(Locale.ROOT)) {
            case "true", "on", "1" -> true;
            case "false", "off", "0" -> false;
            default -> throw new QueryException(SqlState.SYNTAX_ERROR, name + " requires a Boolean value");
        };
    }

    private PlanFormat format(Option option) {
        if (option.value() == null) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "format requires a parameter");
        }
        return switch (text(option)) {
            case "text" -> PlanFormat.TEXT;
            case "json" -> PlanFormat.JSON;
            case "yaml" -> PlanFormat.YAML;
            case "xml" -> PlanFormat.XML;
            default -> throw unrecognized(option);
        };
    }

    private boolean serializes(Option option) {
        return option.value() == null
                || switch (text(option)) {
                    case "off", "none" -> false;
                    case "text", "binary" -> true;
                    default -> throw unrecognized(option);
                };
    }

    private static String text(Option option) {
        return (option.isNegative() ? "-" : "") + option.value().text();
    }

    private QueryException unrecognized(Option option) {
        return new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "unrecognized value for EXPLAIN option \""
                                + option.name().text() + "\": \"" + text(option) + "\"")
                .withPosition(in.position(option.name()));
    }
}
