package dev.quarrel.core.collate;

/// What a regular expression begins with where it means what it does by a collation other than "C": the
/// collation's spec between NUL characters, which no text has. So no function and no opcode needs a further argument.
public final class PatternPreface {
    private static final String NUL = "\0";

    private PatternPreface() {}

    /// @param spec of the collation, as `Collation.spec` has it
    public static String of(String spec) {
        return NUL + spec + NUL;
    }

    /// A pattern as it is written, without a preface.
    public static String written(String pattern) {
        return pattern.startsWith(NUL) ? pattern.substring(pattern.indexOf(NUL, 1) + 1) : pattern;
    }

    /// The spec that a pattern begins with; null for none.
    public static String spec(String pattern) {
        return pattern.startsWith(NUL) ? pattern.substring(1, pattern.indexOf(NUL, 1)) : null;
    }
}
