/// What is to be exported, and how: what the command, the Maven goal and applications fill in.
package dev.quarrel.export.config;
