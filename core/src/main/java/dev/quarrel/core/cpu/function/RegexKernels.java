package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RegexMatcher;
import dev.quarrel.core.cpu.text.RegexMatches;
import dev.quarrel.core.cpu.text.RegexOptions;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Utf8;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/// Functions of regular expressions.
///
/// - Source: PostgreSQL's `regexp.c`.
final class RegexKernels {
    private RegexKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        counted(kernels, RegexKernels::count, "regexp_count", "_no_start", "_no_flags", "");
        counted(
                kernels,
                RegexKernels::substring,
                "regexp_substr",
                "_no_start",
                "_no_n",
                "_no_flags",
                "_no_subexpr",
                "");
        counted(
                kernels,
                RegexKernels::place,
                "regexp_instr",
                "_no_start",
                "_no_n",
                "_no_endoption",
                "_no_flags",
                "_no_subexpr",
                "");
        for (String id : new String[] {"regexp_like_no_flags", "regexp_like"}) {
            kernels.put(id, () -> {
                Prepared prepared = new Prepared("regexp_like", RegexMatcher::of);
                return BatchFunction.eachRow((in, out, row) -> like(prepared, in, out, row));
            });
        }
        for (String id : new String[] {
            "textregexreplace_noopt",
            "textregexreplace",
            "textregexreplace_extended",
            "textregexreplace_extended_no_flags",
            "textregexreplace_extended_no_n"
        }) {
            kernels.put(id, () -> {
                Prepared prepared = new Prepared(null, RegexMatcher::ofLongest);
                return BatchFunction.eachRow((in, out, row) -> replace(prepared, in, (TextVector) out, row));
            });
        }
    }

    /// A function, and those that leave out some of its last arguments.
    private static void counted(
            Map<String, Supplier<BatchFunction>> kernels, Function function, String name, String... suffixes) {
        for (String suffix : suffixes) {
            kernels.put(name + suffix, () -> {
                Prepared prepared = new Prepared(name, RegexMatcher::ofLongest);
                return BatchFunction.eachRow((in, out, row) -> function.compute(prepared, in, out, row));
            });
        }
    }

    @FunctionalInterface
    private interface Function {
        void compute(Prepared prepared, Arguments in, Vector out, int row);
    }

    /// `(text, pattern [, flags])`
    private static void like(Prepared prepared, Arguments in, Vector out, int row) {
        RegexMatcher matcher = prepared.matcher(in.text(1), in.count() > 2 ? in.text(2) : null);
        TextReader text = in.text(0);
        Results.bool(out, row, matcher.find(text.bytes, text.start, text.length));
    }

    /// `(text, pattern [, start [, flags]])`
    private static void count(Prepared prepared, Arguments in, Vector out, int row) {
        int start = positive(in, 2, "start");
        RegexMatches matches = matches(prepared, in, start, 3);
        int count = 0;
        while (matches.next()) {
            count++;
        }
        Results.int32(out, row, count);
    }

    /// `(text, pattern [, start [, n [, flags [, subexpr]]]])`
    private static void substring(Prepared prepared, Arguments in, Vector out, int row) {
        int start = positive(in, 2, "start");
        int number = positive(in, 3, "n");
        requireWhole(in, 5);
        RegexMatches matches = matches(prepared, in, start, 4);
        if (goTo(matches, number)) {
            ((TextVector) out).append(row, in.text(0).bytes, matches.from(), matches.to() - matches.from());
        } else {
            Results.set(out, row, null);
        }
    }

    /// `(text, pattern [, start [, n [, endoption [, flags [, subexpr]]]]])`
    private static void place(Prepared prepared, Arguments in, Vector out, int row) {
        int start = positive(in, 2, "start");
        int number = positive(in, 3, "n");
        int endOption = in.count() > 4 ? in.int32(4) : 0;
        if (endOption != 0 && endOption != 1) {
            throw wrong("endoption", endOption);
        }
        requireWhole(in, 6);
        RegexMatches matches = matches(prepared, in, start, 5);
        TextReader text = in.text(0);
        boolean isFound = goTo(matches, number);
        int end = isFound ? endOption == 0 ? matches.from() : matches.to() : 0;
        Results.int32(out, row, isFound ? Utf8.count(text.bytes, text.start, end) + 1 : 0);
    }

    /// `(text, pattern, replacement [, flags])` or `(text, pattern, replacement, start [, n [, flags]])`
    private static void replace(Prepared prepared, Arguments in, TextVector out, int row) {
        boolean isExtended = in.count() > 3 && in.vector(3) instanceof IntVector;
        int start = isExtended ? positive(in, 3, "start") : 1;
        int flagsAt = isExtended ? 5 : 3;
        int number = isExtended && in.count() > 4 ? in.int32(4) : -1;
        if (isExtended && in.count() > 4 && number < 0) {
            throw wrong("n", number);
        }
        RegexMatches matches = matches(prepared, in, start, flagsAt);
        number = number >= 0 ? number : prepared.isGlobal() ? 0 : 1;
        TextReader text = in.text(0);
        Replacement replacement = prepared.replacement(in.text(2));
        int copied = text.start;
        out.begin(row, 0);
        for (int match = 1; matches.next(); match++) {
            if (number == 0 || match == number) {
                out.extend(row, text.bytes, copied, matches.from() - copied);
                replacement.append(out, row, text.bytes, matches.from(), matches.to());
                copied = matches.to();
            }
            if (match == number) {
                break;
            }
        }
        out.extend(row, text.bytes, copied, text.end() - copied);
    }

    private static RegexMatches matches(Prepared prepared, Arguments in, int start, int flagsAt) {
        RegexMatcher matcher = prepared.matcher(in.text(1), in.count() > flagsAt ? in.text(flagsAt) : null);
        TextReader text = in.text(0);
        return matcher.matches(text.bytes, text.start, text.length, start - 1);
    }

    private static boolean goTo(RegexMatches matches, int number) {
        for (int match = 0; match < number; match++) {
            if (!matches.next()) {
                return false;
            }
        }
        return true;
    }

    /// An argument that is 1 where it is left out.
    private static int positive(Arguments in, int argument, String name) {
        int value = in.count() > argument ? in.int32(argument) : 1;
        if (value <= 0) {
            throw wrong(name, value);
        }
        return value;
    }

    private static QueryException wrong(String parameter, int value) {
        return new QueryException(
                SqlState.INVALID_PARAMETER_VALUE, "invalid value for parameter \"" + parameter + "\": " + value);
    }

    /// - Errors: 22023; 0A000 for a parenthesized part, whose extent another engine may see otherwise.
    private static void requireWhole(Arguments in, int argument) {
        int part = in.count() > argument ? in.int32(argument) : 0;
        if (part < 0) {
            throw wrong("subexpr", part);
        }
        if (part > 0) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: a parenthesized part of a regular expression's match");
        }
    }

    /// What a match becomes: `\\&` is the match itself, `\\\\` a backslash.
    ///
    /// @param pieces between two of which the match stands
    private record Replacement(List<byte[]> pieces) {
        /// - Errors: 0A000 for a reference to a parenthesized part.
        static Replacement of(byte[] text) {
            List<byte[]> pieces = new ArrayList<>();
            ByteArrayOutputStream piece = new ByteArrayOutputStream();
            for (int index = 0; index < text.length; index++) {
                byte next = text[index] == '\\' && index + 1 < text.length ? text[index + 1] : 0;
                if (next >= '1' && next <= '9') {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "not supported: \\" + (char) next + " in the replacement of a regular expression's match");
                }
                if (next == '&') {
                    pieces.add(piece.toByteArray());
                    piece.reset();
                    index++;
                } else {
                    piece.write(text[index]);
                    index += next == '\\' ? 1 : 0;
                }
            }
            pieces.add(piece.toByteArray());
            return new Replacement(pieces);
        }

        void append(TextVector out, int row, byte[] bytes, int from, int to) {
            for (int piece = 0; piece < pieces.size(); piece++) {
                if (piece > 0) {
                    out.extend(row, bytes, from, to - from);
                }
                out.extend(row, pieces.get(piece), 0, pieces.get(piece).length);
            }
        }
    }

    /// The pattern and flags of the row before, made ready.
    private static final class Prepared {
        private final String function;
        private final BiFunction<byte[], RegexOptions, RegexMatcher> compiler;
        private byte[] pattern;
        private byte[] flags;
        private boolean isGlobal;
        private RegexMatcher matcher;
        private byte[] replaced;
        private Replacement replacement;

        Prepared(String function, BiFunction<byte[], RegexOptions, RegexMatcher> compiler) {
            this.function = function;
            this.compiler = compiler;
        }

        /// Whether the flags ask for every match.
        boolean isGlobal() {
            return isGlobal;
        }

        Replacement replacement(TextReader text) {
            if (replacement == null || !text.isSame(replaced)) {
                replaced = text.copyOfBytes();
                replacement = Replacement.of(replaced);
            }
            return replacement;
        }

        /// @param newFlags null for none
        RegexMatcher matcher(TextReader newPattern, TextReader newFlags) {
            boolean isKnown =
                    matcher != null && newPattern.isSame(pattern) && (newFlags == null || newFlags.isSame(flags));
            if (!isKnown) {
                matcher = null;
                String written = newFlags == null ? "" : newFlags.string();
                RegexOptions options = RegexOptions.parse(written, function);
                isGlobal = written.indexOf('g') >= 0;
                pattern = newPattern.copyOfBytes();
                flags = newFlags == null ? null : newFlags.copyOfBytes();
                matcher = compiler.apply(pattern, options);
            }
            return matcher;
        }
    }
}
