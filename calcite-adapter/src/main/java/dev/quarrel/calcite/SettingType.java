package dev.quarrel.calcite;

import java.util.List;
import java.util.Map;

/// What values a setting takes, in the words of `pg_settings`.
public sealed interface SettingType {
    /// `string`, `bool`, `enum`, `integer` or `real`.
    String vartype();

    /// PostgreSQL's name of the unit that a bare number counts, or null.
    default String unit() {
        return null;
    }

    /// Any text.
    ///
    /// @param isPath whether it names a file or a folder
    record Text(boolean isPath) implements SettingType {
        @Override
        public String vartype() {
            return "string";
        }
    }

    /// On or off.
    record Switch() implements SettingType {
        @Override
        public String vartype() {
            return "bool";
        }
    }

    /// One of some words.
    record Word(List<String> words) implements SettingType {
        public Word {
            words = List.copyOf(words);
        }

        @Override
        public String vartype() {
            return "enum";
        }
    }

    /// A number with a fraction.
    record Real(double min, double max) implements SettingType {
        @Override
        public String vartype() {
            return "real";
        }

        /// - Errors: [NumberFormatException] for what is no number, [IllegalArgumentException] for one out of range.
        public double parse(String text) {
            double number = Double.parseDouble(text.strip());
            if (!(number >= min && number <= max)) {
                throw new IllegalArgumentException(text.strip() + " is out of range");
            }
            return number;
        }

        /// As SHOW gives it.
        public String show(double number) {
            return number == (long) number ? Long.toString((long) number) : Double.toString(number);
        }
    }

    /// A whole number.
    ///
    /// @param unit `ms`, `s`, `B`, `kB` or `MB`, which can be said behind a number, as can larger ones; or null
    record Whole(String unit, long min, long max) implements SettingType {
        private static final Map<String, Long> MILLIS =
                Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
        private static final Map<String, Long> BYTES =
                Map.of("B", 1L, "kB", 1L << 10, "MB", 1L << 20, "GB", 1L << 30, "TB", 1L << 40);

        @Override
        public String vartype() {
            return "integer";
        }

        /// The number in the setting's own unit.
        ///
        /// - Errors: [NumberFormatException] for what is no number, has a part of the unit, or is out of range.
        public long parse(String text) {
            String trimmed = text.strip();
            int digits = trimmed.startsWith("-") ? 1 : 0;
            while (digits < trimmed.length() && Character.isDigit(trimmed.charAt(digits))) {
                digits++;
            }
            long number = Long.parseLong(trimmed.substring(0, digits));
            String said = trimmed.substring(digits).strip();
            if (!said.isEmpty()) {
                number = inUnit(number, said);
            }
            if (number < min || number > max) {
                throw new NumberFormatException(trimmed + " is out of range");
            }
            return number;
        }

        private long inUnit(long number, String said) {
            Map<String, Long> family = unit == null ? Map.of() : MILLIS.containsKey(unit) ? MILLIS : BYTES;
            Long factor = family.get(said);
            if (factor == null) {
                throw new NumberFormatException(said + " is no unit here");
            }
            long base = family.get(unit);
            try {
                long amount = Math.multiplyExact(number, factor);
                if (amount % base != 0) {
                    throw new NumberFormatException(number + said + " is no whole number of " + unit);
                }
                return amount / base;
            } catch (ArithmeticException _) {
                throw new NumberFormatException(number + said + " is out of range");
            }
        }

        /// A number of the setting's unit as SHOW gives it: in the largest unit that it is a whole number of.
        public String show(long number) {
            if (unit == null || number <= 0) {
                return Long.toString(number);
            }
            List<String> units = MILLIS.containsKey(unit)
                    ? List.of("d", "h", "min", "s", "ms")
                    : List.of("TB", "GB", "MB", "kB", "B");
            Map<String, Long> family = MILLIS.containsKey(unit) ? MILLIS : BYTES;
            long base = family.get(unit);
            for (String larger : units) {
                long factor = family.get(larger);
                if (factor >= base && number % (factor / base) == 0) {
                    return number / (factor / base) + larger;
                }
            }
            throw new IllegalStateException(unit);
        }
    }
}
