package dev.quarrel.core.cpu.function;

import dev.quarrel.core.collate.Utf8;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.regex.Regex;
import dev.quarrel.core.regex.RegexOptions;
import dev.quarrel.core.regex.SimilarPattern;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of regular expressions.
///
/// - Source: PostgreSQL's `regexp.c`; `varlena.c` (replace_text_regexp).
final class RegexKernels {
    private RegexKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        variants(kernels, RegexKernels::like, "regexp_like", "regexp_like", "_no_flags", "");
        variants(kernels, RegexKernels::count, "regexp_count", "regexp_count", "_no_start", "_no_flags", "");
        variants(
                kernels,
                RegexKernels::substring,
                "regexp_substr",
                "regexp_substr",
                "_no_start",
                "_no_n",
                "_no_flags",
                "_no_subexpr",
                "");
        variants(
                kernels,
                RegexKernels::place,
                "regexp_instr",
                "regexp_instr",
                "_no_start",
                "_no_n",
                "_no_endoption",
                "_no_flags",
                "_no_subexpr",
                "");
        variants(
                kernels,
                RegexKernels::replace,
                null,
                "textregexreplace",
                "_noopt",
                "",
                "_extended",
                "_extended_no_flags",
                "_extended_no_n");
        variants(kernels, RegexKernels::match, "regexp_match", "regexp_match", "_no_flags", "");
        variants(kernels, RegexKernels::split, "regexp_split_to_array", "regexp_split_to_array", "_no_flags", "");
        variants(kernels, RegexKernels::part, null, "textregexsubstr", "");
        variants(kernels, RegexKernels::similarPart, null, "similar_substring", "");
        for (String id : new String[] {"similar_to_escape_1", "similar_to_escape_2", "similar_escape"}) {
            kernels.put(id, () -> BatchFunction.eachRow(RegexKernels::similar));
        }
    }

    static void registerRows(Map<String, RowsFunction> kernels) {
        kernels.put("regexp_matches", arguments -> RegexParts.matches(arguments).iterator());
        kernels.put(
                "regexp_split_to_table",
                arguments -> RegexParts.pieces(arguments).iterator());
    }

    /// A function, and those that leave out some of its last arguments.
    ///
    /// @param name the SQL name, for messages; null for one that takes the option `g`
    private static void variants(
            Map<String, Supplier<BatchFunction>> kernels,
            Function function,
            String name,
            String id,
            String... suffixes) {
        for (String suffix : suffixes) {
            kernels.put(id + suffix, () -> {
                Prepared prepared = new Prepared(name);
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
        Results.bool(out, row, opened(prepared, in, 1, 2).isFound());
    }

    /// `(text, pattern [, start [, flags]])`
    private static void count(Prepared prepared, Arguments in, Vector out, int row) {
        int start = positive(in, 2, "start");
        Regex regex = opened(prepared, in, start, 3);
        int count = 0;
        while (regex.next(false)) {
            count++;
        }
        Results.int32(out, row, count);
    }

    /// `(text, pattern [, start [, n [, flags [, subexpr]]]])`
    private static void substring(Prepared prepared, Arguments in, Vector out, int row) {
        int start = positive(in, 2, "start");
        int number = positive(in, 3, "n");
        int group = group(in, 5);
        Regex regex = opened(prepared, in, start, 4);
        append(regex, goTo(regex, number, group > 0) ? group(regex, group) : -1, in.text(0), out, row);
    }

    /// `(text, pattern [, start [, n [, endoption [, flags [, subexpr]]]]])`
    private static void place(Prepared prepared, Arguments in, Vector out, int row) {
        int start = positive(in, 2, "start");
        int number = positive(in, 3, "n");
        int endOption = in.count() > 4 ? in.int32(4) : 0;
        if (endOption != 0 && endOption != 1) {
            throw wrong("endoption", endOption);
        }
        int asked = group(in, 6);
        Regex regex = opened(prepared, in, start, 5);
        TextReader text = in.text(0);
        int group = goTo(regex, number, asked > 0) ? group(regex, asked) : -1;
        int end = group < 0 ? -1 : endOption == 0 ? regex.start(group) : regex.end(group);
        Results.int32(out, row, end < 0 ? 0 : Utf8.count(text.bytes, text.start, end) + 1);
    }

    /// Which of a regex's groups an argument names; -1 for none. Without groups the whole match is the first.
    private static int group(Regex regex, int asked) {
        if (asked <= regex.groupCount()) {
            return asked;
        }
        return regex.groupCount() == 0 && asked == 1 ? 0 : -1;
    }

    private static void append(Regex regex, int group, TextReader text, Vector out, int row) {
        if (group < 0 || regex.start(group) < 0) {
            Results.set(out, row, null);
        } else {
            int start = regex.start(group);
            ((TextVector) out).append(row, text.bytes, start, regex.end(group) - start);
        }
    }

    /// `(text, pattern)`: the first group of the match, or all of it.
    private static void part(Prepared prepared, Arguments in, Vector out, int row) {
        part(opened(prepared, in, 1, 2), in, out, row);
    }

    /// `(text, pattern, escape)`: the same for a pattern of SIMILAR TO.
    private static void similarPart(Prepared prepared, Arguments in, Vector out, int row) {
        Regex regex = prepared.similar(in.text(1), in.text(2));
        TextReader text = in.text(0);
        regex.open(text.bytes, text.start, text.length);
        part(regex, in, out, row);
    }

    private static void part(Regex regex, Arguments in, Vector out, int row) {
        int group = regex.groupCount() > 0 ? 1 : 0;
        append(regex, regex.next(group > 0) ? group : -1, in.text(0), out, row);
    }

    /// `(text, pattern [, flags])`: the groups of the match, or all of it.
    private static void match(Prepared prepared, Arguments in, Vector out, int row) {
        Regex regex = opened(prepared, in, 1, 2);
        if (regex.next(true)) {
            RegexParts.append(regex, in.text(0).bytes, prepared.array);
            prepared.array.finish((TextVector) out, row);
        } else {
            Results.set(out, row, null);
        }
    }

    /// `(text, pattern [, flags])`
    private static void split(Prepared prepared, Arguments in, Vector out, int row) {
        Regex regex = opened(prepared, in, 1, 2);
        TextReader text = in.text(0);
        RegexParts.split(
                regex, text.start, text.end(), (from, to) -> prepared.array.append(text.bytes, from, to - from));
        prepared.array.finish((TextVector) out, row);
    }

    /// `(pattern [, escape])`
    private static void similar(Arguments in, Vector out, int row) {
        if (in.isNull(0)) {
            Results.set(out, row, null);
            return;
        }
        String escape = in.count() > 1 && !in.isNull(1) ? in.text(1).string() : null;
        Results.set(out, row, SimilarPattern.expression(in.text(0).string(), escape));
    }

    /// `(text, pattern, replacement [, flags])` or `(text, pattern, replacement, start [, n [, flags]])`
    private static void replace(Prepared prepared, Arguments in, Vector out, int row) {
        boolean isExtended = in.count() > 3 && in.vector(3) instanceof IntVector;
        int start = isExtended ? positive(in, 3, "start") : 1;
        int flagsAt = isExtended ? 5 : 3;
        int number = isExtended && in.count() > 4 ? in.int32(4) : -1;
        if (isExtended && in.count() > 4 && number < 0) {
            throw wrong("n", number);
        }
        Regex regex = opened(prepared, in, start, flagsAt);
        number = number >= 0 ? number : prepared.isGlobal() ? 0 : 1;
        TextReader text = in.text(0);
        TextVector result = (TextVector) out;
        Replacement replacement = prepared.replacement(in.text(2));
        int copied = text.start;
        result.begin(row, 0);
        for (int match = 1; regex.next(replacement.hasGroups()); match++) {
            if (number == 0 || match == number) {
                result.extend(row, text.bytes, copied, regex.start(0) - copied);
                replacement.append(result, row, text.bytes, regex);
                copied = regex.end(0);
            }
            if (match == number) {
                break;
            }
        }
        result.extend(row, text.bytes, copied, text.end() - copied);
    }

    /// The expression of a row, at its text, from the character number `start` on.
    private static Regex opened(Prepared prepared, Arguments in, int start, int flagsAt) {
        Regex regex = prepared.regex(in.text(1), in.count() > flagsAt ? in.text(flagsAt) : null);
        TextReader text = in.text(0);
        regex.open(text.bytes, text.start, text.length);
        regex.skip(start - 1);
        return regex;
    }

    private static boolean goTo(Regex regex, int number, boolean withGroups) {
        for (int match = 1; match <= number; match++) {
            if (!regex.next(withGroups && match == number)) {
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

    private static int group(Arguments in, int argument) {
        int group = in.count() > argument ? in.int32(argument) : 0;
        if (group < 0) {
            throw wrong("subexpr", group);
        }
        return group;
    }

    /// What a match becomes: `\\&` is the match itself, `\\1` its first group, `\\\\` a backslash.
    ///
    /// @param pieces the texts before and behind each group, one more than there are groups
    /// @param hasGroups whether some group is not the match itself
    private record Replacement(List<byte[]> pieces, List<Integer> groups, boolean hasGroups) {
        static Replacement of(byte[] text) {
            List<byte[]> pieces = new ArrayList<>();
            List<Integer> groups = new ArrayList<>();
            ByteArrayOutputStream piece = new ByteArrayOutputStream();
            for (int index = 0; index < text.length; index++) {
                byte next = text[index] == '\\' && index + 1 < text.length ? text[index + 1] : 0;
                if (next == '&' || next >= '1' && next <= '9') {
                    groups.add(next == '&' ? 0 : next - '0');
                    pieces.add(piece.toByteArray());
                    piece.reset();
                    index++;
                } else {
                    piece.write(text[index]);
                    index += next == '\\' ? 1 : 0;
                }
            }
            pieces.add(piece.toByteArray());
            return new Replacement(pieces, groups, groups.stream().anyMatch(group -> group > 0));
        }

        void append(TextVector out, int row, byte[] bytes, Regex regex) {
            for (int index = 0; index < pieces.size(); index++) {
                int group = index == 0 ? -1 : groups.get(index - 1);
                if (group >= 0 && group <= regex.groupCount() && regex.start(group) >= 0) {
                    int start = regex.start(group);
                    out.extend(row, bytes, start, regex.end(group) - start);
                }
                out.extend(row, pieces.get(index), 0, pieces.get(index).length);
            }
        }
    }

    /// The pattern and flags of the row before, made ready.
    private static final class Prepared {
        private final String function;
        private final TextArray array = new TextArray();
        private byte[] pattern;
        private byte[] flags;
        private RegexOptions options;
        private Regex regex;
        private byte[] replaced;
        private Replacement replacement;

        Prepared(String function) {
            this.function = function;
        }

        /// Whether the flags ask for every match.
        boolean isGlobal() {
            return options.isGlobal();
        }

        Replacement replacement(TextReader text) {
            if (replacement == null || !text.isSame(replaced)) {
                replaced = text.copyOfBytes();
                replacement = Replacement.of(replaced);
            }
            return replacement;
        }

        /// The expression of a pattern of SIMILAR TO; its escape character is kept as flags are.
        Regex similar(TextReader newPattern, TextReader escape) {
            if (regex == null || !newPattern.isSame(pattern) || !escape.isSame(flags)) {
                regex = null;
                pattern = newPattern.copyOfBytes();
                flags = escape.copyOfBytes();
                String expression = SimilarPattern.expression(newPattern.string(), escape.string());
                regex = Regex.of(expression.getBytes(StandardCharsets.UTF_8), RegexOptions.NONE);
            }
            return regex;
        }

        /// @param newFlags null for none
        Regex regex(TextReader newPattern, TextReader newFlags) {
            boolean isKnown =
                    regex != null && newPattern.isSame(pattern) && (newFlags == null || newFlags.isSame(flags));
            if (!isKnown) {
                regex = null;
                options = newFlags == null ? RegexOptions.NONE : RegexParts.options(newFlags.string(), function);
                pattern = newPattern.copyOfBytes();
                flags = newFlags == null ? null : newFlags.copyOfBytes();
                regex = Regex.of(pattern, options);
            }
            return regex;
        }
    }
}
