package dev.quarrel.cli.imports.pcap;

/// Where a packet lies in the buffer, and what the file says of it. There is one object a file, filled again for each
/// packet.
final class Packet {
    static final long NONE = Long.MIN_VALUE;

    LinkType link;
    int start;
    int length;
    long wireLength;
    /// Since 1970, rounded down; [#NONE] where the file has no time.
    long micros;
    /// By its number in its section; [#NONE] in a file that knows no interfaces.
    long interfaceId;
}
