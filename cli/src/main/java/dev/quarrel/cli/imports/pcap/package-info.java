/// Captured packets (pcap, pcapng) as rows.
package dev.quarrel.cli.imports.pcap;
