package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Batch;

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
    private final byte[] bytes;
    private int row;
    private int at;
    private int end;

    private PacketDecoder(PacketColumns to, byte[] bytes) {
        this.to = to;
        this.bytes = bytes;
    }

    /// The rows of a block, whose bytes are the batch's from here on.
    ///
    /// @param release runs when the batch is closed
    static Batch decode(PacketBlock block, Runnable release) {
        PacketColumns columns = new PacketColumns(block.count());
        PacketDecoder decoder = new PacketDecoder(columns, block.bytes());
        for (int index = 0; index < block.count(); index++) {
            decoder.decode(block, index);
        }
        return columns.finish(block.bytes(), release);
    }

    private void decode(PacketBlock block, int index) {
        row = index;
        at = block.start(index);
        end = block.end(index);
        if (block.micros(index) != Packet.NONE) {
            to.time.add(row);
            to.timestamp[row] = block.micros(index);
        }
        if (block.interfaceId(index) != Packet.NONE) {
            to.interfaces.add(row);
            to.interfaceId[row] = block.interfaceId(index);
        }
        to.all.add(row);
        to.wireLength[row] = block.wireLength(index);
        switch (block.link(index)) {
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

    private int uint16(int offset) {
        return (bytes[at + offset] & 0xFF) << 8 | bytes[at + offset + 1] & 0xFF;
    }

    private long uint32(int offset) {
        return (long) uint16(offset) << 16 | uint16(offset + 2);
    }

    private long mac(int offset) {
        return uint32(offset) << 16 | uint16(offset + 4);
    }

    private long int64(int offset) {
        return uint32(offset) << 32 | uint32(offset + 4);
    }

    private void ethernet() {
        if (has(MAC_HEADER)) {
            to.dstMac.set(row, mac(0));
            to.srcMac.set(row, mac(6));
            int type = uint16(12);
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
            int length = isShort ? uint16(lengthAt) : uint8(lengthAt + 1);
            if (length == 6) {
                to.srcMac.set(row, mac(lengthAt + 2));
            }
            int type = uint16(typeAt);
            at += size;
            network(type);
        }
    }

    /// Four bytes of the capturing machine's order; the numbers of address families are its, too.
    private void loopback() {
        if (has(4)) {
            long family = uint32(0);
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
            int vlan = uint16(0) & 0xFFF;
            if (depth == 0) {
                to.vlan.add(row);
                to.vlanId[row] = vlan;
            } else {
                to.innerVlan.add(row);
                to.innerVlanId[row] = vlan;
            }
            type = uint16(2);
            at += 4;
        }
        to.ether.add(row);
        to.etherType[row] = type;
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
        if (has(ARP_MESSAGE) && uint32(0) == 0x1_0800L && uint16(4) == 0x604) {
            end = at + ARP_MESSAGE;
            to.arp.add(row);
            to.arpOperation[row] = uint16(6);
            to.srcAddr.set(row, uint32(14));
            to.dstAddr.set(row, uint32(24));
        }
    }

    private void ipv4() {
        int size = has(IPV4_HEADER) ? (uint8(0) & 0xF) * 4 : 0;
        if (size < IPV4_HEADER || uint8(0) >> 4 != 4) {
            return;
        }
        int total = uint16(2);
        int fragment = uint16(6);
        int next = uint8(9);
        to.ipv4.add(row);
        to.ip.add(row);
        to.tos[row] = (short) uint8(1);
        to.ipLength[row] = total;
        to.identifier[row] = uint16(4);
        to.fragment[row] = fragment;
        to.ttl[row] = (short) uint8(8);
        to.protocol[row] = (short) next;
        to.ipChecksum[row] = uint16(10);
        to.srcAddr.set(row, uint32(12));
        to.dstAddr.set(row, uint32(16));
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
        long first = uint32(0);
        int length = uint16(4);
        int next = uint8(6);
        to.ipv6.add(row);
        to.trafficClass[row] = (short) (first >>> 20 & 0xFF);
        to.flowLabel[row] = first & 0xF_FFFF;
        to.hopLimit[row] = (short) uint8(7);
        to.srcAddr6.set(row, int64(8), int64(16));
        to.dstAddr6.set(row, int64(24), int64(32));
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
            isFirst = next != 44 || (uint16(2) & 0xFFF8) == 0;
            next = uint8(0);
            at += size;
        }
        if (at > start) {
            to.ip6Options.set(row, start, at);
        }
        if (next >= 0) {
            to.ip.add(row);
            to.protocol[row] = (short) next;
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
            to.icmp.add(row);
            to.icmpType[row] = (short) uint8(0);
            to.icmpCode[row] = (short) uint8(1);
            to.icmpChecksum[row] = uint16(2);
            at += ICMP_HEADER;
        }
    }

    private void udp() {
        if (has(UDP_HEADER)) {
            to.udp.add(row);
            to.ports.add(row);
            to.srcPort[row] = uint16(0);
            to.dstPort[row] = uint16(2);
            to.udpLength[row] = uint16(4);
            to.udpChecksum[row] = uint16(6);
            at += UDP_HEADER;
        }
    }

    private void tcp() {
        if (has(TCP_HEADER)) {
            int flags = uint16(12);
            to.tcp.add(row);
            to.ports.add(row);
            to.srcPort[row] = uint16(0);
            to.dstPort[row] = uint16(2);
            to.seqNr[row] = uint32(4);
            to.ackNr[row] = uint32(8);
            to.tcpFlags[row] = flags & 0xFFF;
            to.windowSz[row] = uint16(14);
            to.tcpChecksum[row] = uint16(16);
            to.urgentPtr[row] = uint16(18);
            options(to.tcpOptions, TCP_HEADER, Math.max(TCP_HEADER, (flags >> 12) * 4));
        }
    }
}
