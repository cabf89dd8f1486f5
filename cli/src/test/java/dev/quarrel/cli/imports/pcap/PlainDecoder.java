package dev.quarrel.cli.imports.pcap;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// Reads one packet as the documentation has it, with an object for everything: slow, and plain. What it says of a
/// column is a number, an address as bytes in hexadecimal digits, or such bytes.
final class PlainDecoder {
    private static final Set<Integer> TAGS = Set.of(0x8100, 0x88A8, 0x9100);
    private static final Set<Integer> EXTENSIONS = Set.of(0, 43, 44, 51, 60, 135, 139, 140);
    private static final Set<Long> FAMILIES = Set.of(2L, 10L, 24L, 28L, 30L);

    private final Map<String, Object> row = new LinkedHashMap<>();
    private byte[] rest;

    private PlainDecoder(byte[] packet) {
        rest = packet;
    }

    static Map<String, Object> decoded(byte[] packet, int link) {
        PlainDecoder decoder = new PlainDecoder(packet);
        switch (link) {
            case 1 -> decoder.ethernet();
            case 113 -> decoder.cooked();
            case 276 -> decoder.cooked2();
            case 0 -> decoder.loopback();
            default -> decoder.ip();
        }
        if (decoder.rest.length > 0) {
            decoder.row.put("payload", hex(decoder.rest));
        }
        return decoder.row;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private String hex(int from, int to) {
        return hex(Arrays.copyOfRange(rest, from, to));
    }

    private long number(int at, int size) {
        long number = 0;
        for (int index = at; index < at + size; index++) {
            number = number * 256 + Byte.toUnsignedInt(rest[index]);
        }
        return number;
    }

    private void put(String column, int at, int size) {
        row.put(column, number(at, size));
    }

    private byte[] take(int size) {
        byte[] taken = Arrays.copyOf(rest, size);
        rest = Arrays.copyOfRange(rest, size, rest.length);
        return taken;
    }

    private void ethernet() {
        if (rest.length < 14) {
            return;
        }
        row.put("dst_mac", hex(0, 6));
        row.put("src_mac", hex(6, 12));
        int type = (int) number(12, 2);
        take(14);
        network(type);
    }

    private void cooked() {
        if (rest.length < 16) {
            return;
        }
        if (number(4, 2) == 6) {
            row.put("src_mac", hex(6, 12));
        }
        int type = (int) number(14, 2);
        take(16);
        network(type);
    }

    private void cooked2() {
        if (rest.length < 20) {
            return;
        }
        if (rest[11] == 6) {
            row.put("src_mac", hex(12, 18));
        }
        int type = (int) number(0, 2);
        take(20);
        network(type);
    }

    private void loopback() {
        if (rest.length < 4) {
            return;
        }
        long big = number(0, 4);
        long little = Integer.toUnsignedLong(Integer.reverseBytes((int) big));
        if (FAMILIES.contains(big <= 0xFFFF ? big : little)) {
            take(4);
            ip();
        }
    }

    private void ip() {
        if (rest.length > 0 && rest[0] >> 4 == 4) {
            ipv4();
        } else if (rest.length > 0 && rest[0] >> 4 == 6) {
            ipv6();
        }
    }

    private void network(int outer) {
        int type = outer;
        String column = "vlan_id";
        while (TAGS.contains(type) && rest.length >= 4) {
            row.put(column, number(0, 2) % 4096);
            column = "inner_vlan_id";
            type = (int) number(2, 2);
            take(4);
        }
        row.put("ether_type", (long) type);
        if (type == 0x0806 && rest.length >= 28 && hex(0, 6).equals("000108000604")) {
            row.put("arp_operation", number(6, 2));
            row.put("src_addr", hex(14, 18));
            row.put("dst_addr", hex(24, 28));
            rest = Arrays.copyOf(rest, 28);
        } else if (type == 0x0800) {
            ipv4();
        } else if (type == 0x86DD) {
            ipv6();
        }
    }

    private void ipv4() {
        if (rest.length < 20 || rest[0] >> 4 != 4 || (rest[0] & 15) < 5) {
            return;
        }
        int size = (rest[0] & 15) * 4;
        put("tos", 1, 1);
        put("ip_length", 2, 2);
        put("identifier", 4, 2);
        put("fragment", 6, 2);
        put("ttl", 8, 1);
        put("protocol", 9, 1);
        put("ip_checksum", 10, 2);
        row.put("src_addr", hex(12, 16));
        row.put("dst_addr", hex(16, 20));
        int total = (int) number(2, 2);
        boolean isFirst = number(6, 2) % 8192 == 0;
        int protocol = (int) number(9, 1);
        if (total >= size && total < rest.length) {
            rest = Arrays.copyOf(rest, total);
        }
        if (options("ip_options", 20, size) && isFirst) {
            transport(protocol);
        }
    }

    private boolean options(String column, int fixed, int size) {
        if (rest.length < size) {
            rest = new byte[0];
            return false;
        }
        if (size > fixed) {
            row.put(column, hex(fixed, size));
        }
        take(size);
        return true;
    }

    private void ipv6() {
        if (rest.length < 40 || rest[0] >> 4 != 6) {
            return;
        }
        row.put("traffic_class", number(0, 4) >> 20 & 255);
        row.put("flow_label", number(0, 4) & 0xFFFFF);
        put("hop_limit", 7, 1);
        row.put("src_addr6", hex(8, 24));
        row.put("dst_addr6", hex(24, 40));
        int length = (int) number(4, 2);
        int next = (int) number(6, 1);
        take(40);
        if (length > 0 && length < rest.length) {
            rest = Arrays.copyOf(rest, length);
        }
        StringBuilder headers = new StringBuilder();
        boolean isFirst = true;
        boolean isKnown = true;
        while (isFirst && isKnown && EXTENSIONS.contains(next)) {
            int size = rest.length < 8
                    ? -1
                    : next == 44 ? 8 : next == 51 ? 8 + 4 * (rest[1] & 255) : 8 + 8 * (rest[1] & 255);
            isKnown = size >= 0 && size <= rest.length;
            if (isKnown) {
                isFirst = next != 44 || number(2, 2) / 8 == 0;
                next = rest[0] & 255;
                headers.append(hex(take(size)));
            }
        }
        if (!headers.isEmpty()) {
            row.put("ip6_options", headers.toString());
        }
        if (isKnown) {
            row.put("protocol", (long) next);
            if (isFirst) {
                transport(next);
            }
        }
    }

    private void transport(int protocol) {
        if (protocol == 6 && rest.length >= 20) {
            put("src_port", 0, 2);
            put("dst_port", 2, 2);
            put("seq_nr", 4, 4);
            put("ack_nr", 8, 4);
            row.put("tcp_flags", number(12, 2) % 4096);
            put("window_sz", 14, 2);
            put("tcp_checksum", 16, 2);
            put("urgent_ptr", 18, 2);
            options("tcp_options", 20, Math.max(20, (rest[12] >> 4 & 15) * 4));
        } else if (protocol == 17 && rest.length >= 8) {
            put("src_port", 0, 2);
            put("dst_port", 2, 2);
            put("udp_length", 4, 2);
            put("udp_checksum", 6, 2);
            take(8);
        } else if ((protocol == 1 || protocol == 58) && rest.length >= 4) {
            put("icmp_type", 0, 1);
            put("icmp_code", 1, 1);
            put("icmp_checksum", 2, 2);
            take(4);
        }
    }
}
