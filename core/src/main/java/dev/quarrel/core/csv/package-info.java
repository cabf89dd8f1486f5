/// Reads CSV as PostgreSQL's COPY does: rows of bytes, then columns of values.
package dev.quarrel.core.csv;
