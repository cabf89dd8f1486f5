package dev.quarrel.core.regex;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The errors of regular expressions, as PostgreSQL words them.
final class RegexErrors {
    static final String BAD_QUANTIFIER = "quantifier operand invalid";
    static final String BAD_ESCAPE = "invalid escape \\ sequence";
    static final String BAD_BRACKETS = "brackets [] not balanced";
    static final String BAD_PARENTHESES = "parentheses () not balanced";
    static final String BAD_BRACES = "braces {} not balanced";
    static final String BAD_COUNT = "invalid repetition count(s)";
    static final String BAD_RANGE = "invalid character range";
    static final String BAD_CLASS = "invalid character class";
    static final String BAD_ELEMENT = "invalid collating element";
    static final String BAD_REFERENCE = "invalid backreference number";
    static final String BAD_OPTION = "invalid embedded option";
    static final String BAD_ARGUMENT = "invalid argument to regex function";

    private RegexErrors() {}

    static QueryException invalid(String reason) {
        return new QueryException(SqlState.INVALID_REGULAR_EXPRESSION, "invalid regular expression: " + reason);
    }

    static QueryException tooComplex() {
        return invalid("regular expression is too complex");
    }
}
