/// JSON texts: `json` values, held as they were written, and `jsonb` values, held as PostgreSQL writes them.
///
/// A scanner of our own rather than a library's parser: members and elements are handed out as ranges of the bytes that
/// hold them, errors are PostgreSQL's, and nothing is allocated on the way.
package dev.quarrel.core.json;
