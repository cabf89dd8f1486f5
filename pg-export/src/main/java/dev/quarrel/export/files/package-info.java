/// Rows on their way into Arrow files: batches, the files of one table, and folders by key.
package dev.quarrel.export.files;
