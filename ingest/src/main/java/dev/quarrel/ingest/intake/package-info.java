/// Between receivers and tables: chunks of events, and who takes them.
package dev.quarrel.ingest.intake;
