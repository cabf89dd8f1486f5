package dev.quarrel.core.cpu.text;

import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.regex.Regex;
import dev.quarrel.core.regex.RegexOptions;

/// The kernels of LIKE and of regular expressions, which keep the compiled pattern of the previous row.
public abstract sealed class PatternKernel implements RowFunction {
    private byte[] pattern;
    private byte[] escape;

    @Override
    public final void compute(Arguments in, Vector out, int row) {
        TextReader newPattern = in.text(1);
        TextReader newEscape = in.count() > 2 ? in.text(2) : null;
        if (pattern == null || !newPattern.isSame(pattern) || newEscape != null && !newEscape.isSame(escape)) {
            pattern = null;
            compile(newPattern, newEscape);
            pattern = newPattern.copyOfBytes();
            escape = newEscape == null ? null : newEscape.copyOfBytes();
        }
        Bits.set(((BoolVector) out).bits(), row, matches(in.text(0)));
    }

    abstract void compile(TextReader newPattern, TextReader newEscape);

    abstract boolean matches(TextReader text);

    public static final class Like extends PatternKernel {
        private final boolean ignoreCase;
        private LikeMatcher matcher;

        public Like(boolean ignoreCase) {
            this.ignoreCase = ignoreCase;
        }

        @Override
        void compile(TextReader newPattern, TextReader newEscape) {
            matcher = LikeMatcher.of(newPattern, newEscape, ignoreCase);
        }

        @Override
        boolean matches(TextReader text) {
            return matcher.matches(text.bytes, text.start, text.length);
        }
    }

    /// LIKE over bytes.
    public static final class LikeBytes extends PatternKernel {
        private LikeMatcher matcher;

        @Override
        void compile(TextReader newPattern, TextReader newEscape) {
            matcher = LikeMatcher.ofBytes(newPattern, newEscape);
        }

        @Override
        boolean matches(TextReader text) {
            return matcher.matches(text.bytes, text.start, text.length);
        }
    }

    public static final class Posix extends PatternKernel {
        private final boolean ignoreCase;
        private Regex regex;

        public Posix(boolean ignoreCase) {
            this.ignoreCase = ignoreCase;
        }

        @Override
        void compile(TextReader newPattern, TextReader newEscape) {
            regex = Regex.of(newPattern.copyOfBytes(), ignoreCase ? RegexOptions.IGNORE_CASE : RegexOptions.NONE);
        }

        @Override
        boolean matches(TextReader text) {
            regex.open(text.bytes, text.start, text.length);
            return regex.isFound();
        }
    }
}
