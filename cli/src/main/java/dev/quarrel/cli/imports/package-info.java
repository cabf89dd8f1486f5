/// What the import command reads: files of other formats, as batches.
package dev.quarrel.cli.imports;
