package dev.quarrel.calcite.session;

import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.SettingType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/// The definition of a run-time parameter: its name, its default and the values that it accepts.
///
/// @param name as SHOW ALL writes it, such as `TimeZone`; looked up without regard to case
/// @param defaultValue in the form that SHOW gives
/// @param reported whether clients are told of changes (ParameterStatus)
/// @param description for `pg_settings`
/// @param type for `pg_settings`
/// @param check turns a value as written into the form that SHOW gives, or fails; null for a parameter that
/// cannot change
record Setting(
        String name,
        String defaultValue,
        boolean reported,
        String description,
        SettingType type,
        UnaryOperator<String> check) {
    private static final SettingType TEXT = new SettingType.Text(false);

    Setting(String name, String value, boolean reported, String description, UnaryOperator<String> check) {
        this(name, value, reported, description, TEXT, check);
    }

    SettingDefinition definition() {
        return new SettingDefinition(name, type, defaultValue, description, check != null);
    }

    static Setting fixed(String name, String value, boolean reported, String description) {
        return new Setting(name, value, reported, description, null);
    }

    static Setting text(String name, String value, boolean reported, String description) {
        return new Setting(name, value, reported, description, UnaryOperator.identity());
    }

    static Setting bool(String name, boolean value, boolean reported, String description) {
        return new Setting(
                name,
                value ? "on" : "off",
                reported,
                description,
                new SettingType.Switch(),
                text -> onOrOff(name, text));
    }

    /// @param choices in the form that SHOW gives; compared without regard to case
    static Setting oneOf(String name, boolean reported, String description, List<String> choices) {
        return new Setting(
                name,
                choices.getFirst(),
                reported,
                description,
                new SettingType.Word(choices),
                text -> choice(name, text, choices));
    }

    static Setting integer(String name, int value, int low, int high, String description) {
        return new Setting(
                name,
                Integer.toString(value),
                false,
                description,
                new SettingType.Whole(null, low, high),
                text -> integer(name, text, low, high));
    }

    /// A number from 0, its default, to 1.
    static Setting fraction(String name, String description) {
        SettingType.Real type = new SettingType.Real(0, 1);
        return new Setting(name, "0", false, description, type, text -> {
            try {
                return type.show(type.parse(text));
            } catch (NumberFormatException noNumber) {
                throw invalid(name, text);
            } catch (IllegalArgumentException _) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        text.strip() + " is outside the valid range for parameter \"" + name + "\" (0 .. 1)");
            }
        });
    }

    /// A time in milliseconds, with an optional unit (`5s`, `2 min`).
    static Setting duration(String name, String description) {
        return new Setting(
                name,
                "0",
                false,
                description,
                new SettingType.Whole("ms", 0, Integer.MAX_VALUE),
                text -> showMillis(millis(name, text)));
    }

    /// A size in bytes with an optional unit; without one, in kilobytes. 0 means the engine's bound.
    static Setting bytes(String name, String description) {
        return new Setting(
                name,
                "0",
                false,
                description,
                new SettingType.Whole("kB", 0, Long.MAX_VALUE >>> 10),
                text -> showKilobytes(kilobytes(name, text)));
    }

    /// A size as `bytes` has it; -1, its default, means that there is no bound.
    static Setting bytesOrNone(String name, String description) {
        return new Setting(
                name,
                "-1",
                false,
                description,
                new SettingType.Whole("kB", -1, Long.MAX_VALUE >>> 10),
                text -> text.trim().equals("-1") ? "-1" : showKilobytes(kilobytes(name, text)));
    }

    private static String onOrOff(String name, String text) {
        String word = text.trim().toLowerCase(Locale.ROOT);
        boolean on = word.equals("1") || startsAnyOf(word, "true", "yes") || word.equals("on");
        boolean off = word.equals("0") || startsAnyOf(word, "false", "no") || word.equals("off") || word.equals("of");
        if (on == off) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "parameter \"" + name + "\" requires a Boolean value");
        }
        return on ? "on" : "off";
    }

    private static boolean startsAnyOf(String word, String... whole) {
        for (String candidate : whole) {
            if (!word.isEmpty() && candidate.startsWith(word)) {
                return true;
            }
        }
        return false;
    }

    private static String choice(String name, String text, List<String> choices) {
        for (String choice : choices) {
            if (choice.equalsIgnoreCase(text.trim())) {
                return choice;
            }
        }
        throw invalid(name, text).withHint("Available values: " + String.join(", ", choices) + ".");
    }

    private static String integer(String name, String text, int low, int high) {
        long value;
        try {
            value = Long.parseLong(text.trim());
        } catch (NumberFormatException noNumber) {
            throw invalid(name, text);
        }
        if (value < low || value > high) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    value + " is outside the valid range for parameter \"" + name + "\" (" + low + " .. " + high + ")");
        }
        return Long.toString(value);
    }

    private record Unit(String name, long factor) {}

    private static final List<Unit> TIME_UNITS = List.of(
            new Unit("d", 86_400_000),
            new Unit("h", 3_600_000),
            new Unit("min", 60_000),
            new Unit("s", 1_000),
            new Unit("ms", 1));
    private static final List<Unit> SIZE_UNITS =
            List.of(new Unit("TB", 1L << 30), new Unit("GB", 1L << 20), new Unit("MB", 1L << 10), new Unit("kB", 1));

    static long millis(String name, String text) {
        return amount(name, text, TIME_UNITS, Integer.MAX_VALUE);
    }

    static long kilobytes(String name, String text) {
        return amount(name, text, SIZE_UNITS, Long.MAX_VALUE >>> 10);
    }

    private static long amount(String name, String text, List<Unit> units, long limit) {
        String trimmed = text.trim();
        int digits = 0;
        while (digits < trimmed.length() && Character.isDigit(trimmed.charAt(digits))) {
            digits++;
        }
        String unit = trimmed.substring(digits).trim();
        long factor = unit.isEmpty() ? 1 : 0;
        for (Unit known : units) {
            if (known.name().equals(unit)) {
                factor = known.factor();
            }
        }
        if (digits == 0 || digits > 18 || factor == 0) {
            throw invalid(name, text)
                    .withHint("Valid units for this parameter are "
                            + String.join(
                                    ", ",
                                    units.reversed().stream()
                                            .map(known -> '"' + known.name() + '"')
                                            .toList())
                            + ".");
        }
        long count = Long.parseLong(trimmed.substring(0, digits));
        if (count > limit / factor) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    trimmed + " is outside the valid range for parameter \"" + name + "\"");
        }
        return count * factor;
    }

    private static String showMillis(long millis) {
        return show(millis, TIME_UNITS);
    }

    private static String showKilobytes(long kilobytes) {
        return show(kilobytes, SIZE_UNITS);
    }

    private static String show(long amount, List<Unit> units) {
        for (Unit unit : units) {
            if (amount != 0 && amount % unit.factor() == 0) {
                return amount / unit.factor() + unit.name();
            }
        }
        return "0";
    }

    private static QueryException invalid(String name, String text) {
        return new QueryException(
                SqlState.INVALID_PARAMETER_VALUE, "invalid value for parameter \"" + name + "\": \"" + text + "\"");
    }
}
