/// Rows of a table's files as the table has them: those that are deleted or kept, columns that a file lacks or has
/// narrower, and files whose columns differ.
package dev.quarrel.core.arrow.dataset.rows;
