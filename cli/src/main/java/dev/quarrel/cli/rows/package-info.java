/// Results as text and files: one class a format of `quarrel sql`.
package dev.quarrel.cli.rows;
