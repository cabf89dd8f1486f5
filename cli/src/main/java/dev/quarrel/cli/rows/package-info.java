/// The formats of results as text and files: one class per format of `quarrel sql`.
package dev.quarrel.cli.rows;
