package dev.quarrel.calcite;

import dev.quarrel.core.type.QueryException;

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

    /// That it has parameters where no values can be given: 42P02, with the place of the first.
    QueryException noParameters();

    /// What a server is to do with it, or null for a statement that a session prepares and executes.
    ClientCommand command();
}
