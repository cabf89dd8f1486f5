/// Encoded copies of columns that queries ask for often: narrow integers and dictionary codes, with the validity that
/// is kept beside them.
package dev.quarrel.core.cpu.encoded;
