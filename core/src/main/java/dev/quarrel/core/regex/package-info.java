/// Regular expressions with PostgreSQL's meaning: their syntax ([dev.quarrel.core.regex.RegexParser]), the
/// automata that run over bytes of UTF-8, and what the parts of a match are.
package dev.quarrel.core.regex;
