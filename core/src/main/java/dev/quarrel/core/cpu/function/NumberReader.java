package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.format.TimePicture;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// Reads numbers that are written in a format.
///
/// - Source: PostgreSQL's `formatting.c` (NUM_processor, NUM_numpart_from_char, numeric_to_number).
final class NumberReader {
    private static final int MAX_ROMAN_LENGTH = 15;

    private final NumberPicture picture;
    private final StringBuilder digits = new StringBuilder();
    private String text;
    private int at;
    private char sign;
    private int readBefore;
    private int readBehind;
    private boolean isPointRead;
    private boolean isRomanRead;

    NumberReader(NumberPicture picture) {
        this.picture = picture;
    }

    /// - Errors: 22P02, 22003, 0A000.
    BigDecimal read(String read) {
        if (picture.isScientific) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "\"EEEE\" not supported for input");
        }
        text = read;
        at = 0;
        sign = ' ';
        digits.setLength(0);
        readBefore = 0;
        readBehind = 0;
        isPointRead = false;
        isRomanRead = false;
        for (NumberPicture.Node node : picture.nodes) {
            if (isAtEnd()) {
                break;
            }
            if (node.key() == null) {
                skipCharacter();
            } else {
                pattern(node.key());
            }
        }
        if (!digits.isEmpty() && digits.charAt(digits.length() - 1) == '.') {
            digits.setLength(digits.length() - 1);
        }
        return value();
    }

    private BigDecimal value() {
        int scale = readBehind;
        int before = isRomanRead ? digits.length() : picture.before + picture.shift;
        BigDecimal value = (BigDecimal) PgParse.numeric(sign + digits.toString());
        BigDecimal rounded = value.setScale(scale, RoundingMode.HALF_UP);
        if (rounded.signum() != 0 && rounded.precision() - rounded.scale() > before) {
            throw RowErrors.fieldOverflow(before + scale, scale);
        }
        return picture.isShifted
                ? rounded.multiply(NumericKernels.power(BigDecimal.TEN, BigDecimal.valueOf(-picture.shift)))
                : rounded;
    }

    private boolean isAtEnd() {
        return at >= text.length();
    }

    private char peek(int distance) {
        return at + distance < text.length() ? text.charAt(at + distance) : '\0';
    }

    private void skipCharacter() {
        at = text.offsetByCodePoints(at, 1);
    }

    /// Skips what cannot be part of a number.
    private void skipOthers(int characters) {
        for (int left = characters; left > 0 && !isAtEnd() && "0123456789.,+-".indexOf(peek(0)) < 0; left--) {
            skipCharacter();
        }
    }

    private void pattern(String key) {
        switch (key) {
            case "9", "0", ".", "D" -> {
                digit(key.equals("9") || key.equals("0"));
                at++;
            }
            case ",", "G" -> {
                if (!picture.isFilled && peek(0) == ',') {
                    at++;
                }
            }
            case "L" -> skipOthers(1);
            case "RN" -> roman();
            case "TH" -> {
                if (!picture.isRoman && !picture.hasPoint) {
                    skipOthers(2);
                }
            }
            case "MI" -> sign("-");
            case "PL" -> sign("+");
            case "SG" -> sign("+-");
            default -> {}
        }
    }

    private void sign(String signs) {
        if (signs.indexOf(peek(0)) >= 0) {
            sign = peek(0);
            at++;
        } else {
            skipOthers(1);
        }
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    /// Reads a digit or the point, and the sign before or behind; the caller goes on by one.
    private void digit(boolean isDigitWanted) {
        if (peek(0) == ' ') {
            at++;
        }
        if (isAtEnd()) {
            return;
        }
        if (sign == ' ' && isDigitWanted && readBefore + readBehind == 0) {
            readSignBefore();
        }
        if (isAtEnd()) {
            return;
        }
        boolean isRead = false;
        if (isDigit(peek(0))) {
            if (isPointRead && readBehind == picture.behind) {
                return;
            }
            digits.append(peek(0));
            if (isPointRead) {
                readBehind++;
            } else {
                readBefore++;
            }
            isRead = true;
        } else if (picture.hasPoint && !isPointRead && peek(0) == '.') {
            digits.append('.');
            isPointRead = true;
            isRead = true;
        }
        if (sign == ' ' && readBefore + readBehind > 0) {
            readSignBehind(isRead);
        }
    }

    private void readSignBefore() {
        char next = peek(0);
        boolean isLocale = picture.isSigned && picture.sign == NumberPicture.Sign.BEFORE;
        if (next == '-' || !isLocale && picture.isBracketed && next == '<') {
            sign = '-';
            at++;
        } else if (next == '+') {
            sign = '+';
            at++;
        }
    }

    private void readSignBehind(boolean isRead) {
        if (picture.isSigned && isRead && at + 1 < text.length() && !isDigit(peek(1))) {
            if (peek(1) == '-' || peek(1) == '+') {
                sign = peek(1);
                at++;
            }
        } else if (!isRead && !picture.isSigned && (picture.hasPlus || picture.hasMinus)) {
            if (peek(0) == '-' || peek(0) == '+') {
                sign = peek(0);
            }
        }
    }

    private void roman() {
        while (!isAtEnd() && TimePicture.isSpace(peek(0))) {
            at++;
        }
        int start = at;
        while (at - start < MAX_ROMAN_LENGTH && romanValue(peek(0)) > 0) {
            at++;
        }
        int value = romanValue(text.substring(start, at).toUpperCase(java.util.Locale.ROOT));
        if (value < 0) {
            throw new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "invalid Roman numeral");
        }
        digits.append(value);
        isRomanRead = true;
        readBehind = 0;
    }

    private static int romanValue(char numeral) {
        return switch (numeral) {
            case 'I', 'i' -> 1;
            case 'V', 'v' -> 5;
            case 'X', 'x' -> 10;
            case 'L', 'l' -> 50;
            case 'C', 'c' -> 100;
            case 'D', 'd' -> 500;
            case 'M', 'm' -> 1000;
            default -> 0;
        };
    }

    /// - Returns: -1 for what is no numeral
    private static int romanValue(String numerals) {
        int result = 0;
        int repeats = 1;
        int fives = 0;
        int lastSubtracted = Integer.MAX_VALUE;
        for (int index = 0; index < numerals.length(); index++) {
            char numeral = numerals.charAt(index);
            int value = romanValue(numeral);
            int next = index + 1 < numerals.length() ? romanValue(numerals.charAt(index + 1)) : 0;
            // Each of V, L and D stands once, and nothing as large stands behind it.
            if (value >= lastSubtracted || isBehindFive(fives, value)) {
                return -1;
            }
            fives |= five(value);
            if (value < next) {
                boolean isPair = value == 1 && next <= 10
                        || value == 10 && next > 10 && next <= 100
                        || value == 100 && next > 100;
                if (!isPair || repeats > 1 || isBehindFive(fives, next)) {
                    return -1;
                }
                fives |= five(next);
                index++;
                repeats = 1;
                lastSubtracted = value;
                result += next - value;
            } else {
                repeats = next == value ? repeats + 1 : 1;
                if (repeats > 3) {
                    return -1;
                }
                result += value;
            }
        }
        return numerals.isEmpty() ? -1 : result;
    }

    /// A bit for each of V, L and D.
    private static int five(int value) {
        return value == 5 ? 1 : value == 50 ? 2 : value == 500 ? 4 : 0;
    }

    private static boolean isBehindFive(int fives, int value) {
        return (fives & 1) != 0 && value >= 5 || (fives & 2) != 0 && value >= 50 || (fives & 4) != 0 && value >= 500;
    }
}
