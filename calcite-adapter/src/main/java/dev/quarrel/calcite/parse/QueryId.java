package dev.quarrel.calcite.parse;

import dev.quarrel.core.type.QueryException;

/// A number for all statements that differ in the values of literals and in blanks alone, as PostgreSQL's `query_id`:
/// made of the text, so it is the same on every server of a version.
public final class QueryId {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private QueryId() {}

    /// The number of a text of one statement; never 0. A text that cannot be cut into lexemes counts as it is.
    public static long of(String text) {
        String key;
        try {
            key = StatementShape.of(text).key();
        } catch (QueryException _) {
            key = text;
        }
        long hash = FNV_OFFSET;
        for (int index = 0; index < key.length(); index++) {
            hash = (hash ^ key.charAt(index)) * FNV_PRIME;
        }
        return hash == 0 ? 1 : hash;
    }
}
