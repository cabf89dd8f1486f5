package dev.quarrel.calcite;

/// One statement of a SQL text, which may hold several separated by semicolons.
public interface ParsedStatement {
    /// Its own text, without the semicolon.
    String text();

    /// 0-based character index of `text()` in the text that was parsed.
    int startOffset();

    /// Whether nothing but blanks and comments stands there.
    boolean isEmpty();

    /// Whether it may run in a failed transaction block (COMMIT, ROLLBACK).
    boolean endsTransaction();
}
