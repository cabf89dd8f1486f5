/// Events into datasets: receivers of the Fluent forward protocol, HTTP and InfluxDB's lines; a log that makes them
/// safe, tables of what is not in files yet, and the files.
package dev.quarrel.ingest;
