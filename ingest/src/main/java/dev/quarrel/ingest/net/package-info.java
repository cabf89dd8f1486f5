/// What clients send: the Fluent forward protocol, HTTP with lines of JSON, InfluxDB's lines. Netty is imported here
/// alone.
package dev.quarrel.ingest.net;
