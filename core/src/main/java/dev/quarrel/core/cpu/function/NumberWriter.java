package dev.quarrel.core.cpu.function;

import dev.quarrel.core.format.TimeWriter;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/// Writes numbers in a format.
///
/// - Source: PostgreSQL's `formatting.c` (NUM_processor, NUM_numpart_to_char).
final class NumberWriter {
    private static final int ROMAN_WIDTH = 15;
    private static final String[] ONES = {"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"};
    private static final String[] TENS = {"", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"};
    private static final String[] HUNDREDS = {"", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"};

    /// Digits that a float is good for.
    private static final int FLOAT4_DIGITS = 6;

    private static final int FLOAT8_DIGITS = 15;

    private final NumberPicture picture;
    private final StringBuilder out = new StringBuilder();

    /// The number without its sign.
    private String number;
    private int at;
    /// Digits behind the point.
    private int behind;

    private boolean isNegative;
    private int blanks;
    private int count;
    private int current;
    /// The last digit that counts, where trailing zeros are left out; -1 where they are not.
    private int lastRelevant;
    private boolean isSignWritten;
    private boolean isInNumber;
    private boolean isBracketed;
    private boolean isSignBehind;
    private int zeroStart;

    NumberWriter(NumberPicture picture) {
        this.picture = picture;
    }

    private int places() {
        return picture.before + (picture.isShifted ? picture.shift : 0);
    }

    String write(BigDecimal value) {
        if (picture.isRoman) {
            return writeRoman(value.setScale(0, RoundingMode.HALF_UP));
        }
        if (picture.isScientific) {
            return scientific(value);
        }
        BigDecimal shifted = picture.isShifted ? value.scaleByPowerOfTen(picture.shift) : value;
        BigDecimal rounded = shifted.setScale(picture.behind, RoundingMode.HALF_UP);
        return process(rounded.abs().toPlainString(), rounded.signum() < 0, picture.behind);
    }

    private static String scientific(BigDecimal value, int digits, RoundingMode rounding, boolean mayCarry) {
        int exponent = value.signum() == 0 ? 0 : value.precision() - 1 - value.scale();
        BigDecimal rounded = value.scaleByPowerOfTen(-exponent).setScale(digits, rounding);
        if (mayCarry && rounded.abs().compareTo(BigDecimal.TEN) >= 0) {
            exponent++;
            rounded = value.scaleByPowerOfTen(-exponent).setScale(digits, rounding);
        }
        String sign = exponent < 0 ? "-" : "+";
        return rounded.toPlainString() + "e" + sign + "%02d".formatted(Math.abs(exponent));
    }

    /// PostgreSQL rounds the digits of a numeric without another look at the exponent: 9.99 may become `10.0e+00`.
    private String scientific(BigDecimal value) {
        String text = scientific(value, picture.behind, RoundingMode.HALF_UP, false);
        return text.startsWith("-") ? text : " " + text;
    }

    /// @param isLong whether the number is an int8, of which int4 has the digits but not the overflow
    String write(long value, boolean isLong) {
        if (picture.isRoman) {
            return writeRoman(BigDecimal.valueOf(value));
        }
        if (picture.isScientific) {
            return isLong ? scientific(BigDecimal.valueOf(value)) : scientific((double) value);
        }
        long shifted = value;
        if (picture.isShifted) {
            double factor = Math.pow(10, picture.shift);
            if (isLong) {
                shifted = shiftedLong(value, factor);
            } else {
                // Too large a factor is C's least int, and products wrap round.
                shifted = (int) value * (factor > Integer.MAX_VALUE ? Integer.MIN_VALUE : (int) factor);
            }
        }
        String digits = Long.toString(shifted);
        boolean isMinus = digits.startsWith("-");
        String whole = isMinus ? digits.substring(1) : digits;
        String text = picture.behind > 0 ? whole + "." + "0".repeat(picture.behind) : whole;
        return process(text, isMinus, picture.behind);
    }

    private static long shiftedLong(long value, double factor) {
        try {
            if (factor >= 0x1p63) {
                throw new ArithmeticException();
            }
            return Math.multiplyExact(value, (long) factor);
        } catch (ArithmeticException _) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range");
        }
    }

    String write(float value) {
        if (picture.isRoman || picture.isScientific) {
            return write((double) value);
        }
        float shifted = picture.isShifted ? value * (float) Math.pow(10, picture.shift) : value;
        return plain(shifted, FLOAT4_DIGITS);
    }

    String write(double value) {
        if (picture.isRoman) {
            return Double.isFinite(value) ? writeRoman(new BigDecimal(Math.rint(value))) : roman(0);
        }
        if (picture.isScientific) {
            return scientific(value);
        }
        return plain(picture.isShifted ? value * Math.pow(10, picture.shift) : value, FLOAT8_DIGITS);
    }

    private String scientific(double value) {
        if (!Double.isFinite(value)) {
            char[] text = new char[picture.before + picture.behind + 6];
            java.util.Arrays.fill(text, '#');
            text[0] = ' ';
            text[picture.before + 1] = '.';
            return new String(text);
        }
        String text = scientific(new BigDecimal(Math.abs(value)), picture.behind, RoundingMode.HALF_EVEN, true);
        return (isBelowZero(value) ? "-" : " ") + text;
    }

    private static boolean isBelowZero(double value) {
        return value < 0 || value == 0 && 1 / value < 0;
    }

    private String plain(double value, int digits) {
        if (Double.isNaN(value)) {
            return process("NaN", false, digitsBehind(3, digits));
        }
        if (Double.isInfinite(value)) {
            return process("Infinity", value < 0, digitsBehind(8, digits));
        }
        BigDecimal exact = new BigDecimal(Math.abs(value));
        int before = exact.setScale(0, RoundingMode.HALF_EVEN).precision();
        int behind = digitsBehind(before, digits);
        return process(exact.setScale(behind, RoundingMode.HALF_EVEN).toPlainString(), isBelowZero(value), behind);
    }

    private int digitsBehind(int before, int digits) {
        return before >= digits ? 0 : Math.min(picture.behind, digits - before);
    }

    private String writeRoman(BigDecimal value) {
        boolean isHeld = value.signum() > 0 && value.compareTo(BigDecimal.valueOf(3999)) <= 0;
        return roman(isHeld ? value.intValue() : 0);
    }

    private String roman(int value) {
        number = value == 0
                ? "#".repeat(ROMAN_WIDTH)
                : "M".repeat(value / 1000) + HUNDREDS[value / 100 % 10] + TENS[value / 10 % 10] + ONES[value % 10];
        return run(0, picture.behind);
    }

    private String process(String digits, boolean isMinus, int behind) {
        number = digits;
        isNegative = isMinus;
        int point = number.indexOf('.');
        int length = point < 0 ? number.length() : point;
        int spaces = Math.max(0, places() - length);
        if (length > places()) {
            number = "#".repeat(places()) + "." + "#".repeat(behind);
        }
        return run(spaces, behind);
    }

    private String run(int spaces, int digitsBehind) {
        out.setLength(0);
        behind = digitsBehind;
        at = 0;
        current = 0;
        blanks = spaces;
        isInNumber = false;
        isBracketed = picture.isBracketed;
        isSignBehind = picture.sign == NumberPicture.Sign.BEHIND;
        zeroStart = picture.zeroStart > 0 ? picture.zeroStart - 1 : 0;
        if (picture.hasPlus || picture.hasMinus) {
            isSignWritten = !(picture.hasPlus && !picture.hasMinus);
        } else {
            if (!isNegative && picture.isFilled) {
                isBracketed = false;
            }
            isSignWritten = !isNegative && picture.isFilled && !picture.isSigned && !picture.isRoman;
            if (picture.sign == NumberPicture.Sign.BEFORE && places() == picture.digitsBeforeSign) {
                isSignBehind = true;
            }
        }
        count = behind + places() - 1;
        lastRelevant = -1;
        if (picture.isFilled && picture.hasPoint) {
            setLastRelevant();
        }
        if (!isSignWritten && blanks == 0) {
            count++;
        }
        for (NumberPicture.Node node : picture.nodes) {
            if (node.key() == null) {
                out.append(node.text());
            } else {
                write(node);
            }
        }
        // Behind the number's end stands C's end of a string, and with it the result ends.
        int end = out.indexOf("\0");
        return end < 0 ? out.toString() : out.substring(0, end);
    }

    /// Zeros behind it are left out, unless the format has a 0 for them.
    private void setLastRelevant() {
        int point = number.indexOf('.');
        if (point < 0) {
            return;
        }
        lastRelevant = point;
        for (int index = point + 1; index < number.length(); index++) {
            if (number.charAt(index) != '0') {
                lastRelevant = index;
            }
        }
        if (picture.zeroEnd > blanks) {
            lastRelevant = Math.max(lastRelevant, Math.min(number.length() - 1, picture.zeroEnd - blanks));
        }
    }

    private void write(NumberPicture.Node node) {
        switch (node.key()) {
            case "9", "0", ".", "D" -> digit(node.key());
            case ",", "G" -> {
                if (isInNumber) {
                    out.append(',');
                } else if (!picture.isFilled) {
                    out.append(' ');
                }
            }
            case "L" -> out.append(' ');
            case "RN" -> {
                String roman = node.text().equals("rn") ? number.toLowerCase(Locale.ROOT) : number;
                out.repeat(' ', picture.isFilled ? 0 : Math.max(0, ROMAN_WIDTH - roman.length()))
                        .append(roman);
            }
            case "TH" -> {
                if (!picture.isRoman && number.charAt(0) != '#' && !isNegative && !picture.hasPoint) {
                    out.append(TimeWriter.ordinal(number, node.text().equals("TH")));
                }
            }
            case "MI" -> signOr('-', isNegative);
            case "PL" -> signOr('+', !isNegative);
            case "SG" -> out.append(isNegative ? '-' : '+');
            default -> {}
        }
    }

    private void signOr(char sign, boolean isShown) {
        if (isShown) {
            out.append(sign);
        } else if (!picture.isFilled) {
            out.append(' ');
        }
    }

    private char digitAt(int index) {
        return index < number.length() ? number.charAt(index) : '\0';
    }

    private boolean isPointLast() {
        return lastRelevant >= 0 && number.charAt(lastRelevant) == '.';
    }

    /// Whether the one zero before the point is a blank: `9.9` writes 0.1 as ` .1`.
    private boolean isBlankZero() {
        return !picture.hasZero && at == 0 && digitAt(0) == '0' && behind != 0;
    }

    private void digit(String key) {
        if (picture.isRoman) {
            return;
        }
        isInNumber = false;
        boolean isZeroed = picture.hasZero && zeroStart <= current;
        boolean isInside = current >= blanks || picture.hasZero && zeroStart == current;
        if (!isSignWritten && isInside && (!isBlankZero() || isPointLast())) {
            writeSign();
        }
        if (current < blanks && !isZeroed) {
            if (!picture.isFilled) {
                out.append(' ');
            }
        } else if (current < blanks) {
            out.append('0');
            isInNumber = true;
        } else {
            writeDigit(key);
        }
        int end = count + (blanks > 0 ? 1 : 0) + (picture.hasPoint ? 1 : 0);
        if (lastRelevant >= 0 && lastRelevant == at) {
            end = current;
        }
        if (current + 1 == end) {
            if (isSignWritten && isBracketed) {
                out.append(isNegative ? '>' : ' ');
            } else if (picture.isSigned && isSignBehind) {
                out.append(isNegative ? '-' : '+');
            }
        }
        current++;
    }

    private void writeSign() {
        if (picture.isSigned) {
            if (!isSignBehind) {
                out.append(isNegative ? '-' : '+');
                isSignWritten = true;
            }
        } else if (isBracketed) {
            out.append(isNegative ? '<' : ' ');
            isSignWritten = true;
        } else {
            if (isNegative) {
                out.append('-');
            } else if (!picture.isFilled) {
                out.append(' ');
            }
            isSignWritten = true;
        }
    }

    private void writeDigit(String key) {
        char next = digitAt(at);
        if (next == '.') {
            if (!isPointLast() || picture.isFilled) {
                out.append('.');
            }
        } else if (lastRelevant >= 0 && at > lastRelevant && !key.equals("0")) {
            // A zero that does not count.
            isInNumber = false;
        } else if (isBlankZero()) {
            if (!picture.isFilled) {
                out.append(' ');
            } else if (isPointLast()) {
                out.append('0');
            }
        } else {
            out.append(next);
            isInNumber = true;
        }
        if (next != '\0') {
            at++;
        }
    }
}
