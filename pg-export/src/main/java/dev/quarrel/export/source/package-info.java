/// The servers to export from: their addresses, the settings and files that hold these, and the connections to
/// them.
package dev.quarrel.export.source;
