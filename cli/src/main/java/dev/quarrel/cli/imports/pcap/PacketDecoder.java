package dev.quarrel.cli.imports.pcap;

import static dev.quarrel.cli.imports.pcap.CaptureBytes.uint16;
import static dev.quarrel.cli.imports.pcap.CaptureBytes.uint32;

/// Reads a packet's headers from the outside in. A header that was not captured as a whole, or is none, ends it: what
/// is there of it is the payload.
///
/// - Source: IEEE 802.1Q, RFC 791, 793, 768, 792, 826, 4302, 4443, 8200.
final class PacketDecoder {
    private static final int IPV4 = 0x0800;
    private static final int ARP = 0x0806;
    private static final int IPV6 = 0x86DD;

    private static final int MAC_HEADER = 14;
    private static final int SLL_HEADER = 16;
    private static final int SLL2_HEADER = 20;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int UDP_HEADER = 8;
    private static final int ICMP_HEADER = 4;
    private static final int ARP_MESSAGE = 28; // of Ethernet and IPv4

    private final PacketColumns to;
    private byte[] bytes;
    private int row;
    private int at;
    private int end;

    PacketDecoder(PacketColumns to) {
        this.to = to;
    }

    void decode(byte[] buffer, Packet packet, int targetRow) {
        bytes = buffer;
        row = targetRow;
        at = packet.start;
        end = packet.start + packet.length;
        if (packet.micros != Packet.NONE) {
            to.timestamp.set(row, packet.micros);
        }
        if (packet.interfaceId != Packet.NONE) {
            to.interfaceId.set(row, packet.interfaceId);
        }
        to.wireLength.set(row, packet.wireLength);
        switch (packet.link) {
            case ETHERNET -> ethernet();
            case LINUX_SLL -> cooked(SLL_HEADER, 4, 14);
            case LINUX_SLL2 -> cooked(SLL2_HEADER, 10, 0);
            case LOOPBACK -> loopback();
            case IP -> ip();
        }
        if (at < end) {
            to.payload.set(row, at, end);
        }
    }

    private boolean has(int count) {
        return end - at >= count;
    }

    private int uint8(int offset) {
        return bytes[at + offset] & 0xFF;
    }

    private void ethernet() {
        if (has(MAC_HEADER)) {
            to.dstMac.set(row, bytes, at);
            to.srcMac.set(row, bytes, at + 6);
            int type = uint16(bytes, at + 12);
            at += MAC_HEADER;
            network(type);
        }
    }

    /// Linux' header of packets of any device, of which only the sender's address is known.
    ///
    /// @param lengthAt where two bytes end with the length of the address, which follows them
    private void cooked(int size, int lengthAt, int typeAt) {
        if (has(size)) {
            boolean isShort = size == SLL_HEADER;
            int length = isShort ? uint16(bytes, at + lengthAt) : uint8(lengthAt + 1);
            if (length == 6) {
                to.srcMac.set(row, bytes, at + lengthAt + 2);
            }
            int type = uint16(bytes, at + typeAt);
            at += size;
            network(type);
        }
    }

    /// Four bytes of the capturing machine's order; the numbers of address families are its, too.
    private void loopback() {
        if (has(4)) {
            long family = uint32(bytes, at);
            family = family > 0xFFFF ? Integer.reverseBytes((int) family) : family;
            if (family == 2 || family == 10 || family == 24 || family == 28 || family == 30) {
                at += 4;
                ip();
            }
        }
    }

    private void ip() {
        if (has(1)) {
            switch (uint8(0) >> 4) {
                case 4 -> ipv4();
                case 6 -> ipv6();
                default -> {}
            }
        }
    }

    private void network(int outerType) {
        int type = outerType;
        for (int depth = 0; isTag(type) && has(4); depth++) {
            int vlan = uint16(bytes, at) & 0xFFF;
            if (depth == 0) {
                to.vlanId.set(row, vlan);
            } else {
                to.innerVlanId.set(row, vlan);
            }
            type = uint16(bytes, at + 2);
            at += 4;
        }
        to.etherType.set(row, type);
        switch (type) {
            case IPV4 -> ipv4();
            case IPV6 -> ipv6();
            case ARP -> arp();
            default -> {}
        }
    }

    /// 802.1Q, 802.1ad, and what was in use before it.
    private static boolean isTag(int type) {
        return type == 0x8100 || type == 0x88A8 || type == 0x9100;
    }

    /// The message stays the payload, which has the addresses of the devices.
    private void arp() {
        if (has(ARP_MESSAGE) && uint32(bytes, at) == 0x1_0800L && uint16(bytes, at + 4) == 0x604) {
            end = at + ARP_MESSAGE;
            to.arpOperation.set(row, uint16(bytes, at + 6));
            to.srcAddr.set(row, bytes, at + 14);
            to.dstAddr.set(row, bytes, at + 24);
        }
    }

    private void ipv4() {
        int size = has(IPV4_HEADER) ? (uint8(0) & 0xF) * 4 : 0;
        if (size < IPV4_HEADER || uint8(0) >> 4 != 4) {
            return;
        }
        int total = uint16(bytes, at + 2);
        int fragment = uint16(bytes, at + 6);
        int next = uint8(9);
        to.tos.set(row, uint8(1));
        to.ipLength.set(row, total);
        to.identifier.set(row, uint16(bytes, at + 4));
        to.fragment.set(row, fragment);
        to.ttl.set(row, uint8(8));
        to.protocol.set(row, next);
        to.ipChecksum.set(row, uint16(bytes, at + 10));
        to.srcAddr.set(row, bytes, at + 12);
        to.dstAddr.set(row, bytes, at + 16);
        if (total >= size && total < end - at) {
            end = at + total; // behind it Ethernet fills up short frames
        }
        if (options(to.ipOptions, IPV4_HEADER, size) && (fragment & 0x1FFF) == 0) {
            transport(next);
        }
    }

    /// Goes behind a header of which the first part is there.
    ///
    /// @return whether the rest is there, too
    private boolean options(BytesColumn options, int fixedSize, int size) {
        boolean isWhole = has(size);
        if (isWhole && size > fixedSize) {
            options.set(row, at + fixedSize, at + size);
        }
        at = isWhole ? at + size : end;
        return isWhole;
    }

    private void ipv6() {
        if (!has(IPV6_HEADER) || uint8(0) >> 4 != 6) {
            return;
        }
        long first = uint32(bytes, at);
        int length = uint16(bytes, at + 4);
        int next = uint8(6);
        to.trafficClass.set(row, first >>> 20 & 0xFF);
        to.flowLabel.set(row, first & 0xF_FFFF);
        to.hopLimit.set(row, uint8(7));
        to.srcAddr6.set(row, bytes, at + 8);
        to.dstAddr6.set(row, bytes, at + 24);
        at += IPV6_HEADER;
        if (length > 0 && length < end - at) {
            end = at + length;
        }
        int start = at;
        boolean isFirst = true; // of its fragments
        while (isFirst && isExtension(next)) {
            int size = has(Long.BYTES) ? extensionSize(next) : Integer.MAX_VALUE;
            if (!has(size)) {
                next = -1; // what comes behind it is not known
                break;
            }
            isFirst = next != 44 || (uint16(bytes, at + 2) & 0xFFF8) == 0;
            next = uint8(0);
            at += size;
        }
        if (at > start) {
            to.ip6Options.set(row, start, at);
        }
        if (next >= 0) {
            to.protocol.set(row, next);
            if (isFirst) {
                transport(next);
            }
        }
    }

    private static boolean isExtension(int header) {
        return switch (header) {
            case 0, 43, 44, 51, 60, 135, 139, 140 -> true;
            default -> false;
        };
    }

    private int extensionSize(int header) {
        return switch (header) {
            case 44 -> 8;
            case 51 -> 4 * uint8(1) + 8;
            default -> 8 * uint8(1) + 8;
        };
    }

    private void transport(int protocol) {
        switch (protocol) {
            case 1, 58 -> icmp();
            case 6 -> tcp();
            case 17 -> udp();
            default -> {}
        }
    }

    private void icmp() {
        if (has(ICMP_HEADER)) {
            to.icmpType.set(row, uint8(0));
            to.icmpCode.set(row, uint8(1));
            to.icmpChecksum.set(row, uint16(bytes, at + 2));
            at += ICMP_HEADER;
        }
    }

    private void udp() {
        if (has(UDP_HEADER)) {
            to.srcPort.set(row, uint16(bytes, at));
            to.dstPort.set(row, uint16(bytes, at + 2));
            to.udpLength.set(row, uint16(bytes, at + 4));
            to.udpChecksum.set(row, uint16(bytes, at + 6));
            at += UDP_HEADER;
        }
    }

    private void tcp() {
        if (has(TCP_HEADER)) {
            int flags = uint16(bytes, at + 12);
            to.srcPort.set(row, uint16(bytes, at));
            to.dstPort.set(row, uint16(bytes, at + 2));
            to.seqNr.set(row, uint32(bytes, at + 4));
            to.ackNr.set(row, uint32(bytes, at + 8));
            to.tcpFlags.set(row, flags & 0xFFF);
            to.windowSz.set(row, uint16(bytes, at + 14));
            to.tcpChecksum.set(row, uint16(bytes, at + 16));
            to.urgentPtr.set(row, uint16(bytes, at + 18));
            options(to.tcpOptions, TCP_HEADER, Math.max(TCP_HEADER, (flags >> 12) * 4));
        }
    }
}
