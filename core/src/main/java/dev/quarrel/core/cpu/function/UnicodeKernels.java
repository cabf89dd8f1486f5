package dev.quarrel.core.cpu.function;

import dev.quarrel.core.collate.Utf8;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of what Unicode says of characters.
///
/// - Source: PostgreSQL's `varlena.c` (unicode_normalize_func, unistr).
final class UnicodeKernels {
    private UnicodeKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("unicode_normalize_func", () -> BatchFunction.eachRow(UnicodeKernels::normalize));
        kernels.put(
                "unicode_is_normalized",
                () -> BatchFunction.eachRow((in, out, row) -> {
                    Normalizer.Form form = form(in.text(1).string());
                    Results.bool(
                            out,
                            row,
                            isAscii(in.text(0))
                                    || Normalizer.isNormalized(in.text(0).string(), form));
                }));
        kernels.put(
                "unicode_assigned",
                () -> BatchFunction.eachRow((in, out, row) -> Results.bool(
                        out, row, isAscii(in.text(0)) || isAssigned(in.text(0).string()))));
        kernels.put(
                "unistr",
                () -> BatchFunction.eachRow((in, out, row) ->
                        Results.set(out, row, new Escapes(in.text(0).string()).read())));
    }

    private static void normalize(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        Normalizer.Form form = form(in.text(1).string());
        if (isAscii(text)) {
            ((TextVector) out).append(row, text.bytes, text.start, text.length);
        } else {
            Results.set(out, row, Normalizer.normalize(text.string(), form));
        }
    }

    /// Such a text is normalized in every form, and all of it is assigned.
    private static boolean isAscii(TextReader text) {
        return Utf8.isAscii(text.bytes, text.start, text.end());
    }

    private static boolean isAssigned(String text) {
        return text.codePoints().allMatch(character -> Character.getType(character) != Character.UNASSIGNED);
    }

    private static Normalizer.Form form(String name) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "NFC" -> Normalizer.Form.NFC;
            case "NFD" -> Normalizer.Form.NFD;
            case "NFKC" -> Normalizer.Form.NFKC;
            case "NFKD" -> Normalizer.Form.NFKD;
            default ->
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid normalization form: " + name);
        };
    }

    /// Reads `\\XXXX`, `\\+XXXXXX`, `\\uXXXX` and `\\UXXXXXXXX` as the characters of these numbers.
    private static final class Escapes {
        private final String text;
        private final StringBuilder out = new StringBuilder();
        private int at;
        /// The first half of a character in two; 0 for none.
        private char first;

        Escapes(String text) {
            this.text = text;
        }

        String read() {
            while (at < text.length()) {
                if (text.charAt(at) != '\\' || text.startsWith("\\\\", at)) {
                    requireWhole();
                    out.append(text.charAt(at));
                    at += text.charAt(at) == '\\' ? 2 : 1;
                } else if (hasDigits(at + 1, 4)) {
                    escape(1, 4);
                } else if (text.startsWith("u", at + 1) && hasDigits(at + 2, 4)) {
                    escape(2, 4);
                } else if (text.startsWith("+", at + 1) && hasDigits(at + 2, 6)) {
                    escape(2, 6);
                } else if (text.startsWith("U", at + 1) && hasDigits(at + 2, 8)) {
                    escape(2, 8);
                } else {
                    throw new QueryException(SqlState.SYNTAX_ERROR, "invalid Unicode escape")
                            .withHint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.");
                }
            }
            requireWhole();
            return out.toString();
        }

        private void requireWhole() {
            if (first != 0) {
                throw invalidPair();
            }
        }

        private static QueryException invalidPair() {
            return new QueryException(SqlState.SYNTAX_ERROR, "invalid Unicode surrogate pair");
        }

        private boolean hasDigits(int from, int count) {
            for (int index = from; index < from + count; index++) {
                if (index >= text.length()
                        || text.charAt(index) >= 0x80
                        || Character.digit(text.charAt(index), 16) < 0) {
                    return false;
                }
            }
            return true;
        }

        private void escape(int offset, int digits) {
            int character = Integer.parseUnsignedInt(text, at + offset, at + offset + digits, 16);
            if (character <= 0 || character > Character.MAX_CODE_POINT) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, String.format("invalid Unicode code point: %04X", character));
            }
            at += offset + digits;
            boolean isSecond = character >= Character.MIN_LOW_SURROGATE && character <= Character.MAX_LOW_SURROGATE;
            boolean isFirst = character >= Character.MIN_HIGH_SURROGATE && character <= Character.MAX_HIGH_SURROGATE;
            if (isSecond != (first != 0)) {
                throw invalidPair();
            }
            if (isFirst) {
                first = (char) character;
            } else if (isSecond) {
                out.append(first).append((char) character);
                first = 0;
            } else {
                out.appendCodePoint(character);
            }
        }
    }
}
