package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of names.
///
/// - Source: PostgreSQL's `quote.c` and `misc.c` (parse_ident).
final class IdentifierKernels {
    private IdentifierKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put(
                "quote_ident",
                () -> BatchFunction.eachRow((in, out, row) ->
                        Results.set(out, row, Identifiers.quoted(in.text(0).string()))));
        kernels.put(
                "nameconcatoid",
                () -> BatchFunction.eachRow((in, out, row) ->
                        Results.set(out, row, numbered(in.text(0).string(), in.int64(1)))));
        for (String id : new String[] {"parse_ident", "parse_ident_whole"}) {
            kernels.put(id, () -> BatchFunction.eachRow(IdentifierKernels::parse));
        }
    }

    /// A name with a number behind it; the name is cut to where both together are a name.
    private static String numbered(String name, long number) {
        String suffix = "_" + number;
        return PgParse.name(name, suffix.length()) + suffix;
    }

    /// `(name [, whether nothing may follow])`
    private static void parse(Arguments in, Vector out, int row) {
        boolean isStrict = in.count() < 2 || in.bool(1);
        Results.set(out, row, ArrayText.format(new Parts(in.text(0).string()).read(isStrict)));
    }

    /// The parts of a name, divided by points.
    private static final class Parts {
        private final String text;
        private final List<String> parts = new ArrayList<>();
        private int at;

        Parts(String text) {
            this.text = text;
        }

        List<String> read(boolean isStrict) {
            skipBlanks();
            boolean isBehindPoint = false;
            while (true) {
                if (next() == '"') {
                    parts.add(quoted());
                } else if (isStart(next())) {
                    parts.add(plain());
                } else {
                    throw next() == '.'
                            ? wrong().withDetail("No valid identifier before \".\".")
                            : isBehindPoint ? wrong().withDetail("No valid identifier after \".\".") : wrong();
                }
                skipBlanks();
                if (next() == '.') {
                    isBehindPoint = true;
                    at++;
                    skipBlanks();
                } else if (at == text.length() || !isStrict) {
                    return parts;
                } else {
                    throw wrong();
                }
            }
        }

        private QueryException wrong() {
            return new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "string is not a valid identifier: \"" + text + "\"");
        }

        private char next() {
            return at < text.length() ? text.charAt(at) : 0;
        }

        private void skipBlanks() {
            while (" \t\n\r\f\u000B".indexOf(next()) >= 0 && at < text.length()) {
                at++;
            }
        }

        private String quoted() {
            StringBuilder part = new StringBuilder();
            while (true) {
                int close = text.indexOf('"', at + 1);
                if (close < 0) {
                    throw wrong().withDetail("String has unclosed double quotes.");
                }
                part.append(text, at + 1, close);
                at = close + 1;
                if (next() != '"') {
                    break;
                }
                part.append('"');
            }
            if (part.isEmpty()) {
                throw wrong().withDetail("Quoted identifier must not be empty.");
            }
            return part.toString();
        }

        private String plain() {
            StringBuilder part = new StringBuilder();
            while (isStart(next()) || next() >= '0' && next() <= '9' || next() == '$') {
                char character = text.charAt(at++);
                part.append(character >= 'A' && character <= 'Z' ? (char) (character + 32) : character);
            }
            return part.toString();
        }

        private static boolean isStart(char character) {
            return character >= 'a' && character <= 'z'
                    || character >= 'A' && character <= 'Z'
                    || character == '_'
                    || character >= 0x80;
        }
    }
}
