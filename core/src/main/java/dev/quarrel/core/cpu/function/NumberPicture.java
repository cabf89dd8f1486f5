package dev.quarrel.core.cpu.function;

import dev.quarrel.core.format.TimePicture;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A format of numbers, `FM999,990.00`, split into its patterns and the characters between them, with what the patterns
/// say together.
///
/// - Source: PostgreSQL's `formatting.c` (parse_format, NUMDesc_prepare).
final class NumberPicture {
    private static final String[] PATTERNS = {
        ",", ".", "0", "9", "B", "C", "D", "EEEE", "FM", "G", "L", "MI", "PL", "PR", "RN", "SG", "SP", "S", "TH", "V"
    };

    /// A pattern, or a character that stands for itself.
    ///
    /// @param key the pattern in upper case; null for a character
    record Node(String key, String text) {}

    /// Where the sign of S stands.
    enum Sign {
        NONE,
        BEFORE,
        BEHIND
    }

    final List<Node> nodes = new ArrayList<>();
    int before;
    int behind;
    int digitsBeforeSign;
    int shift;
    /// The place of the first 0, from 1; 0 for none.
    int zeroStart;
    int zeroEnd;
    Sign sign = Sign.NONE;
    boolean hasZero;
    boolean isBlank;
    boolean isFilled;
    boolean isSigned;
    boolean isBracketed;
    boolean hasMinus;
    boolean hasPlus;
    boolean isRoman;
    boolean isShifted;
    boolean hasPoint;
    boolean isScientific;

    /// - Errors: 42601 for patterns that do not go together.
    NumberPicture(String format) {
        int at = 0;
        while (at < format.length()) {
            String name = patternAt(format, at);
            if (name != null) {
                at += name.length();
                Node node = new Node(name.toUpperCase(Locale.ROOT), name);
                add(node.key());
                nodes.add(node);
            } else if (format.charAt(at) == '"') {
                at = quoted(format, at + 1);
            } else {
                if (format.charAt(at) == '\\' && at + 1 < format.length() && format.charAt(at + 1) == '"') {
                    at++;
                }
                at += addCharacter(format, at);
            }
        }
    }

    private int quoted(String format, int start) {
        int at = start;
        while (at < format.length()) {
            if (format.charAt(at) == '"') {
                return at + 1;
            }
            if (format.charAt(at) == '\\' && at + 1 < format.length()) {
                at++;
            }
            at += addCharacter(format, at);
        }
        return at;
    }

    private int addCharacter(String format, int at) {
        String text = TimePicture.characterAt(format, at);
        nodes.add(new Node(null, text));
        return text.length();
    }

    private static String patternAt(String format, int at) {
        for (String pattern : PATTERNS) {
            if (format.startsWith(pattern, at) || format.startsWith(pattern.toLowerCase(Locale.ROOT), at)) {
                return format.substring(at, at + pattern.length());
            }
        }
        return null;
    }

    private static QueryException fault(String message) {
        return new QueryException(SqlState.SYNTAX_ERROR, message);
    }

    private static void require(boolean isSo, String message) {
        if (!isSo) {
            throw fault(message);
        }
    }

    private void add(String key) {
        require(!isScientific || key.equals("EEEE"), "\"EEEE\" must be the last pattern used");
        switch (key) {
            case "9" -> {
                require(!isBracketed, "\"9\" must be ahead of \"PR\"");
                if (isShifted) {
                    shift++;
                } else {
                    addDigit();
                }
            }
            case "0" -> {
                require(!isBracketed, "\"0\" must be ahead of \"PR\"");
                if (!hasZero && !hasPoint) {
                    hasZero = true;
                    zeroStart = before + 1;
                }
                addDigit();
                zeroEnd = before + behind;
            }
            case "B" -> isBlank |= before == 0 && behind == 0 && !hasZero;
            case "D", "." -> {
                require(!hasPoint, "multiple decimal points");
                require(!isShifted, "cannot use \"V\" and decimal point together");
                hasPoint = true;
            }
            case "FM" -> isFilled = true;
            case "S" -> addSign();
            case "MI" -> {
                require(!isSigned, "cannot use \"S\" and \"MI\" together");
                hasMinus = true;
            }
            case "PL" -> {
                require(!isSigned, "cannot use \"S\" and \"PL\" together");
                hasPlus = true;
            }
            case "SG" -> {
                require(!isSigned, "cannot use \"S\" and \"SG\" together");
                hasMinus = true;
                hasPlus = true;
            }
            case "PR" -> {
                require(
                        !isSigned && !hasPlus && !hasMinus,
                        "cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
                isBracketed = true;
            }
            case "RN" -> {
                require(!isRoman, "cannot use \"RN\" twice");
                isRoman = true;
            }
            case "V" -> {
                require(!hasPoint, "cannot use \"V\" and decimal point together");
                isShifted = true;
            }
            case "EEEE" -> addExponent();
            default -> {}
        }
        boolean isMixed = hasPoint
                || hasZero
                || isBlank
                || isSigned
                || isBracketed
                || hasMinus
                || hasPlus
                || isShifted
                || isScientific;
        if (isRoman && isMixed) {
            throw fault("\"RN\" is incompatible with other formats")
                    .withDetail("\"RN\" may only be used together with \"FM\".");
        }
    }

    private void addDigit() {
        if (hasPoint) {
            behind++;
        } else {
            before++;
        }
    }

    private void addSign() {
        require(!isSigned, "cannot use \"S\" twice");
        require(!hasPlus && !hasMinus && !isBracketed, "cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
        isSigned = true;
        sign = hasPoint ? Sign.BEHIND : Sign.BEFORE;
        digitsBeforeSign = hasPoint ? 0 : before;
    }

    private void addExponent() {
        require(!isScientific, "cannot use \"EEEE\" twice");
        if (isBlank || isFilled || isSigned || isBracketed || hasMinus || hasPlus || isRoman || isShifted) {
            throw fault("\"EEEE\" is incompatible with other formats")
                    .withDetail("\"EEEE\" may only be used together with digit and decimal point patterns.");
        }
        isScientific = true;
    }
}
