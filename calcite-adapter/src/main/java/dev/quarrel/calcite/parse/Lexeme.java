package dev.quarrel.calcite.parse;

/// A word, number, string or symbol of a SQL text, split as PostgreSQL's scanner splits it.
///
/// @param text WORD: folded to lower case; QUOTED: the name without quotes; STRING: the value, escapes undone;
/// else verbatim
/// @param start index of the first character in the text
/// @param end index after the last character
record Lexeme(Kind kind, String text, int start, int end) {
    enum Kind {
        WORD,
        QUOTED,
        STRING,
        BIT_STRING,
        INTEGER,
        DECIMAL,
        PARAMETER,
        OPERATOR,
        /// `( ) [ ] , ; . :` and `::`, `:=`, `..`, `=>`.
        PUNCTUATION,
        END
    }

    boolean isWord(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    boolean isSymbol(String symbol) {
        return (kind == Kind.PUNCTUATION || kind == Kind.OPERATOR) && text.equals(symbol);
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED;
    }
}
