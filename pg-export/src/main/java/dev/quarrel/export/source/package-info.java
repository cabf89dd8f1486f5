/// Servers to export from: who they are, by which words and files they are found, and how a connection is made.
package dev.quarrel.export.source;
