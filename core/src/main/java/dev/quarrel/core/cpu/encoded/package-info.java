/// Encoded copies of columns that queries ask for often: narrow integers and dictionary codes, together with the
/// columns' validity.
package dev.quarrel.core.cpu.encoded;
