/// The configuration of an export, which the command, the Maven goal and applications fill in.
package dev.quarrel.export.config;
