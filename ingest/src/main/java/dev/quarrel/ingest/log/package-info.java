/// The write-ahead log: what was acknowledged and is in no file yet.
package dev.quarrel.ingest.log;
