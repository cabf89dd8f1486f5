/// The command line, one class per command. stdout is data, stderr is for people; exit codes are 0 done, 1
/// failed, 2 wrong usage.
package dev.quarrel.cli;
