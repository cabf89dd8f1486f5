package dev.quarrel.core.format;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// A format of dates and times, `YYYY-MM-DD HH24:MI`, split into its fields and the characters between them.
///
/// - Source: PostgreSQL's `formatting.c` (parse_format).
public record TimePicture(List<Node> nodes) {
    /// The names of the fields: of several that fit, the first one is meant.
    private static final String[] UPPER =
            ("A.D. A.M. AD AM B.C. BC CC DAY DDD DD DY Day Dy D FF1 FF2 FF3 FF4 FF5 FF6 FX"
                            + " HH24 HH12 HH IDDD ID IW IYYY IYY IY I J MI MM MONTH MON MS Month Mon OF P.M. PM Q RM SSSSS SSSS"
                            + " SS TZH TZM TZ US WW W Y,YYY YYYY YYY YY Y")
                    .split(" ");

    private static final String[] LOWER = ("a.d. a.m. ad am b.c. bc cc day ddd dd dy d ff1 ff2 ff3 ff4 ff5 ff6 fx hh24"
                    + " hh12 hh iddd id iw iyyy iyy iy i j mi mm month mon ms of p.m. pm q rm sssss ssss ss tzh tzm tz"
                    + " us ww w y,yyy yyyy yyy yy y")
            .split(" ");

    public sealed interface Node {}

    /// A field.
    ///
    /// @param name as PostgreSQL writes it
    /// @param key the name in upper case
    /// @param isFilled whether FM stands before it: no padding
    /// @param isTranslated whether TM stands before it
    /// @param ordinal `TH`, `th`, or empty
    public record Field(String name, String key, boolean isFilled, boolean isTranslated, String ordinal)
            implements Node {
        /// Whether it reads digits alone.
        boolean isDigits() {
            return switch (key) {
                case "A.D.",
                        "A.M.",
                        "AD",
                        "AM",
                        "B.C.",
                        "BC",
                        "P.M.",
                        "PM",
                        "DAY",
                        "DY",
                        "FX",
                        "MONTH",
                        "MON",
                        "OF",
                        "RM",
                        "TZH",
                        "TZ" -> false;
                default -> true;
            };
        }

        /// Which part of a date and time it is of.
        Part part() {
            return switch (key) {
                case "FX", "IW" -> Part.NONE;
                case "TZ", "OF", "TZH", "TZM" -> Part.ZONE;
                case "A.M.",
                        "P.M.",
                        "AM",
                        "PM",
                        "HH",
                        "HH12",
                        "HH24",
                        "MI",
                        "SS",
                        "MS",
                        "US",
                        "FF1",
                        "FF2",
                        "FF3",
                        "FF4",
                        "FF5",
                        "FF6",
                        "SSSS",
                        "SSSSS" -> Part.TIME;
                default -> Part.DATE;
            };
        }

        /// `I` for ISO weeks, `G` for days of months and years, a blank for neither.
        char calendar() {
            return switch (key) {
                case "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I" -> 'I';
                case "DDD", "DD", "D", "MM", "MONTH", "MON", "RM", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y" -> 'G';
                default -> ' ';
            };
        }
    }

    /// What stands between fields.
    ///
    /// @param text one character
    public record Between(String text, Kind kind) implements Node {}

    public enum Kind {
        SPACE,
        SEPARATOR,
        CHARACTER
    }

    /// What formats may have between fields under the rules of SQL.
    private static final String STANDARD_SEPARATORS = "-./,':; ";

    /// The parts of a date and time. PostgreSQL overlooks IW.
    public enum Part {
        NONE,
        DATE,
        TIME,
        ZONE
    }

    /// Whether a field is of that part.
    public boolean has(Part part) {
        return nodes.stream().anyMatch(node -> node instanceof Field field && field.part() == part);
    }

    public static TimePicture of(String format) {
        return of(format, false);
    }

    /// Under the rules of SQL, which know few separators.
    ///
    /// - Errors: 22007 for another one.
    public static TimePicture standard(String format) {
        return of(format, true);
    }

    private static TimePicture of(String format, boolean isStandard) {
        List<Node> nodes = new ArrayList<>();
        int at = 0;
        while (at < format.length()) {
            String prefix = startOf(format, at, "FM", "fm", "TM", "tm");
            at += prefix.length();
            if (at == format.length()) {
                break;
            }
            String name = fieldAt(format, at);
            if (name != null) {
                at += name.length();
                String postfix = startOf(format, at, "TH", "th", "SP");
                at += postfix.length();
                nodes.add(new Field(
                        name,
                        name.toUpperCase(java.util.Locale.ROOT),
                        prefix.equalsIgnoreCase("fm"),
                        prefix.equalsIgnoreCase("tm"),
                        postfix.equals("SP") ? "" : postfix));
            } else if (format.charAt(at) == '"') {
                at = quoted(format, at + 1, nodes);
            } else {
                if (isStandard && STANDARD_SEPARATORS.indexOf(format.charAt(at)) < 0) {
                    throw new QueryException(
                            SqlState.INVALID_DATETIME_FORMAT,
                            "invalid datetime format separator: \"" + characterAt(format, at) + "\"");
                }
                if (format.charAt(at) == '\\' && at + 1 < format.length() && format.charAt(at + 1) == '"') {
                    at++;
                }
                String text = characterAt(format, at);
                char first = text.charAt(0);
                Kind kind = isSeparator(first) ? Kind.SEPARATOR : isSpace(first) ? Kind.SPACE : Kind.CHARACTER;
                nodes.add(new Between(text, kind));
                at += text.length();
            }
        }
        return new TimePicture(List.copyOf(nodes));
    }

    private static int quoted(String format, int start, List<Node> nodes) {
        int at = start;
        while (at < format.length()) {
            if (format.charAt(at) == '"') {
                return at + 1;
            }
            if (format.charAt(at) == '\\' && at + 1 < format.length()) {
                at++;
            }
            String text = characterAt(format, at);
            nodes.add(new Between(text, Kind.CHARACTER));
            at += text.length();
        }
        return at;
    }

    private static String startOf(String format, int at, String... affixes) {
        for (String affix : affixes) {
            if (format.startsWith(affix, at)) {
                return affix;
            }
        }
        return "";
    }

    private static String fieldAt(String format, int at) {
        char first = format.charAt(at);
        for (String name : first >= 'a' ? LOWER : UPPER) {
            if (format.startsWith(name, at)) {
                return name;
            }
        }
        return null;
    }

    public static String characterAt(String text, int at) {
        return text.substring(at, text.offsetByCodePoints(at, 1));
    }

    static boolean isSeparator(char character) {
        return character > ' '
                && character < 127
                && !(character >= 'A' && character <= 'Z')
                && !(character >= 'a' && character <= 'z')
                && !(character >= '0' && character <= '9');
    }

    public static boolean isSpace(char character) {
        return character == ' ' || character >= '\t' && character <= '\r';
    }
}
