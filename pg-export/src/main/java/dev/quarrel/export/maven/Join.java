package dev.quarrel.export.maven;

/**
 * A statement that runs for every row of a query: one of the goal's joins.
 *
 * <p>Maven sets the fields: query is the query's name, which may be left out where there is one; of inner and outer one
 * is the statement.
 */
public final class Join {
    private String query;
    private String inner;
    private String outer;

    String query() {
        return query;
    }

    String inner() {
        return inner;
    }

    String outer() {
        return outer;
    }
}
