/// The lines of the log.
package dev.quarrel.cli.log;
