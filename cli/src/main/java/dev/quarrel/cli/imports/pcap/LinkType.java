package dev.quarrel.cli.imports.pcap;

/// What a captured packet begins with.
///
/// - Source: the registry of link-layer header types at tcpdump.org.
enum LinkType {
    /// A frame of Ethernet: two addresses and a type.
    ETHERNET,
    /// Linux' "any" device: 16 bytes.
    LINUX_SLL,
    /// The same of libpcap 1.10: 20 bytes.
    LINUX_SLL2,
    /// An IPv4 or IPv6 header.
    IP,
    /// The number of an address family, then IPv4 or IPv6.
    LOOPBACK;

    /// @return null for one that is not read
    static LinkType of(int number) {
        return switch (number) {
            case 0, 108 -> LOOPBACK;
            case 1 -> ETHERNET;
            case 12, 14, 101, 228, 229 -> IP;
            case 113 -> LINUX_SLL;
            case 276 -> LINUX_SLL2;
            default -> null;
        };
    }
}
