"""Writes the captures of the import's test, and what scapy reads in them: python captures.py FOLDER (scapy 2.8.0)."""
import csv
import random
import struct
import sys
from pathlib import Path

from scapy.all import (
    ARP, CookedLinux, DNS, DNSQR, Dot1AD, Dot1Q, Ether, ICMP, ICMPv6EchoRequest, ICMPv6ND_NS, IP, IPOption_RR, IPv6,
    IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, Loopback, PadN, Padding, RawPcapNgReader, RawPcapReader,
    PcapNgReader, PcapReader, Raw, TCP, UDP, AH, fragment, fragment6, wrpcap, CookedLinuxV2, NoPayload)

COLUMNS = (
    "micros dst_mac src_mac ether_type tos ip_length identifier fragment ttl ip_checksum src_addr dst_addr ip_options "
    "traffic_class flow_label hop_limit src_addr6 dst_addr6 ip6_options protocol src_port dst_port seq_nr ack_nr "
    "tcp_flags window_sz tcp_checksum urgent_ptr tcp_options udp_length udp_checksum icmp_type icmp_code icmp_checksum "
    "payload vlan_id inner_vlan_id arp_operation wire_length").split()
EXTENSIONS = (IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, IPv6ExtHdrFragment, IPv6ExtHdrDestOpt, AH)


def hexed(data):
    return "\\x" + bytes(data).hex()


def network(row, layer):
    """What scapy says of a packet from the network's header on; returns the payload."""
    if isinstance(layer, ARP):
        row.update(arp_operation=layer.op, src_addr=layer.psrc, dst_addr=layer.pdst)
        return bytes(layer.original)[:28]
    if isinstance(layer, IP):
        head = layer.ihl * 4
        row.update(tos=layer.tos, ip_length=layer.len, identifier=layer.id, fragment=int(layer.flags) << 13 | layer.frag,
                   ttl=layer.ttl, ip_checksum=layer.chksum, src_addr=layer.src, dst_addr=layer.dst, protocol=layer.proto)
        if head > 20:
            row["ip_options"] = hexed(layer.original[20:head])
        body = layer.original[head:layer.len] if layer.len else layer.original[head:]
        return transport(row, layer, body) if layer.frag == 0 else body
    if isinstance(layer, IPv6):
        row.update(traffic_class=layer.tc, flow_label=layer.fl, hop_limit=layer.hlim, src_addr6=layer.src,
                   dst_addr6=layer.dst)
        body = layer.original[40:40 + layer.plen]
        first = True
        size, step, protocol = 0, layer.payload, layer.nh
        while isinstance(step, EXTENSIONS) and first:
            size += len(step.original) - len(step.payload.original)
            protocol = step.nh
            first = not (isinstance(step, IPv6ExtHdrFragment) and step.offset > 0)
            step = step.payload
        row["protocol"] = protocol
        if size:
            row["ip6_options"] = hexed(body[:size])
        return transport(row, layer, body[size:]) if first else body[size:]
    return bytes(layer.original)


def transport(row, packet, body):
    if TCP in packet and row["protocol"] == 6:
        tcp = packet[TCP]
        head = tcp.dataofs * 4
        row.update(src_port=tcp.sport, dst_port=tcp.dport, seq_nr=tcp.seq, ack_nr=tcp.ack,
                   tcp_flags=int(tcp.reserved) << 9 | int(tcp.flags), window_sz=tcp.window, tcp_checksum=tcp.chksum, urgent_ptr=tcp.urgptr)
        if head > 20:
            row["tcp_options"] = hexed(body[20:head])
        return body[head:]
    if row["protocol"] == 17 and len(body) >= 8:
        udp = packet[UDP] if UDP in packet else UDP(body)  # scapy ends at an AH
        row.update(src_port=udp.sport, dst_port=udp.dport, udp_length=udp.len, udp_checksum=udp.chksum)
        return body[8:]
    if row["protocol"] in (1, 58) and len(body) >= 4:
        kind, code, checksum = struct.unpack("!BBH", body[:4])
        row.update(icmp_type=kind, icmp_code=code, icmp_checksum=checksum)
        return body[4:]
    return body


def read(path):
    rows = []
    for packet in PcapReader(str(path)):
        row = {"wire_length": packet.wirelen, "micros": int(packet.time * 1_000_000)}
        layer = packet
        if isinstance(packet, Ether):
            row.update(dst_mac=packet.dst, src_mac=packet.src)
        if isinstance(packet, (CookedLinux, CookedLinuxV2)) and packet.lladdrlen == 6:
            row["src_mac"] = bytes(packet.src)[:6].hex(":")
        if isinstance(packet, (Ether, CookedLinux, CookedLinuxV2)):
            row["ether_type"] = packet.type if isinstance(packet, Ether) else packet.proto
            layer = packet.payload
            for name in ("vlan_id", "inner_vlan_id"):
                if isinstance(layer, (Dot1Q, Dot1AD)):
                    row[name] = layer.vlan
                    row["ether_type"] = layer.type
                    layer = layer.payload
        elif isinstance(packet, Loopback):
            layer = packet.payload
        payload = network(row, layer) if layer.original else b""
        if payload:
            row["payload"] = hexed(payload)
        rows.append(row)
    return rows


def packets(seed):
    draw = random.Random(seed)
    mac = lambda: ":".join(f"{draw.randrange(256):02x}" for _ in range(6))
    v4 = lambda: ".".join(str(draw.randrange(256)) for _ in range(4))
    v6 = lambda: draw.choice(["2001:db8::%x", "fe80::1:%x", "::ffff:0:%x", "2001:db8:0:1:1:1:1:%x"]) % draw.randrange(1 << 16)
    data = lambda: Raw(draw.randbytes(draw.choice([0, 1, 7, 30, 200])))
    flags = lambda: draw.choice(["S", "SA", "A", "PA", "FA", "R", "FSRPAUEC"])
    tcp = lambda: TCP(sport=draw.randrange(65536), dport=draw.choice([80, 443, 65535]), flags=flags(), seq=draw.randrange(1 << 32),
                      ack=draw.randrange(1 << 32), window=draw.randrange(65536), urgptr=draw.randrange(65536),
                      options=draw.choice([[], [("MSS", 1460), ("SAckOK", b""), ("Timestamp", (draw.randrange(1 << 32), 0)), ("NOP", None), ("WScale", 7)]]))
    udp = lambda: UDP(sport=draw.randrange(65536), dport=53)
    ip = lambda **more: IP(src=v4(), dst=v4(), ttl=draw.randrange(1, 256), id=draw.randrange(65536), tos=draw.randrange(256), **more)
    ip6 = lambda **more: IPv6(src=v6(), dst=v6(), hlim=draw.randrange(256), tc=draw.randrange(256), fl=draw.randrange(1 << 20), **more)
    ether = lambda: Ether(src=mac(), dst=mac())
    made = []
    for _ in range(4):
        made += [
            ether() / ip() / tcp() / data(),
            ether() / ip(flags="DF") / udp() / data(),
            ether() / ip(options=[IPOption_RR(routers=["1.2.3.4"])]) / tcp() / data(),
            ether() / ip() / ICMP(type=8, id=7, seq=9) / data(),
            ether() / ip(proto=47) / data(),
            ether() / Dot1Q(vlan=draw.randrange(4096), prio=3) / ip() / udp() / data(),
            ether() / Dot1AD(vlan=draw.randrange(4096)) / Dot1Q(vlan=draw.randrange(4096)) / ip6() / tcp() / data(),
            ether() / ARP(op=draw.choice([1, 2]), psrc=v4(), pdst=v4()) / Padding(b"\0" * 18),
            ether() / ip() / TCP(flags="A") / Padding(b"\0" * 6),
            ether() / ip6() / tcp() / data(),
            ether() / ip6() / udp() / DNS(rd=1, qd=DNSQR(qname="example.org")),
            ether() / ip6() / ICMPv6EchoRequest(id=1, seq=2, data=b"abc"),
            ether() / ip6() / ICMPv6ND_NS(tgt=v6()),
            ether() / ip6() / IPv6ExtHdrHopByHop(options=[PadN(optdata=b"\0" * 4)]) / IPv6ExtHdrRouting(addresses=[v6()]) / IPv6ExtHdrDestOpt() / tcp() / data(),
            ether() / ip6() / AH(icv=b"1234567890ab", payloadlen=4, nh=17) / udp() / data(),
            Ether(src=mac(), dst=mac(), type=0x88CC) / data(),
            ether() / ip6(nh=59),
        ]
        made += [ether() / each for each in fragment(ip() / udp() / Raw(draw.randbytes(700)), fragsize=304)]
        made += [ether() / each for each in fragment6(ip6() / IPv6ExtHdrFragment() / UDP(sport=1, dport=2) / Raw(draw.randbytes(1400)), 1300)]
    for index, packet in enumerate(made):
        made[index] = packet.__class__(bytes(packet))
        made[index].time = 1_700_000_000 + index + draw.randrange(1_000_000) / 1e6
    return made


def sections(path, packets):
    """Two sections of pcapng in different byte orders, with times of several resolutions, and blocks of other kinds."""
    with open(path, "wb") as out:
        for order, offset in (("<", 0), (">", 1_000_000)):
            def block(kind, body):
                body += b"\0" * (-len(body) % 4)
                out.write(struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(order + "I", len(body) + 12))

            def interface(link, option):
                code, value = option
                block(1, struct.pack(order + "HHIHH", link, 0, 0, 2, 4) + b"eth0" + struct.pack(order + "HH", code, len(value)) + value
                      + b"\0" * (-len(value) % 4) + struct.pack(order + "HH", 0, 0))

            block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
            interface(1, (9, b"\x06"))
            interface(1, (9, b"\x09"))
            interface(1, (9, b"\x8a"))
            interface(101, (9, b"\x03"))
            block(0xBAD, b"custom")
            for index, packet in enumerate(packets[:50]):
                where = index % 3 if index % 5 else 3
                data = bytes(packet) if where < 3 else bytes(packet)[14:]
                if where == 3 and not (type(packet.payload) in (IP, IPv6)):
                    continue
                seconds = 1_650_000_000 + index + offset
                ticks = {0: seconds * 1_000_000 + 123456, 1: seconds * 1_000_000_000 + 123456789, 2: seconds * 1024 + 512,
                         3: seconds * 1000 + 250}[where]
                if index % 7 == 6 and where < 3:
                    block(2, struct.pack(order + "HHIIII", where, 1, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data) + 4) + data)
                else:
                    comment = struct.pack(order + "HH", 1, 5) + b"hello\0\0\0" + struct.pack(order + "HH", 0, 0)
                    block(6, struct.pack(order + "IIIII", where, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data)) + data
                          + b"\0" * (-len(data) % 4) + comment)


def main(folder):
    ether = packets(1)
    bare = [each.payload for each in ether if IP in each and Dot1Q not in each and Dot1AD not in each or (IPv6 in each and Dot1Q not in each and Dot1AD not in each)]
    for index, each in enumerate(bare):
        each.time = 1_600_000_000 + index * 0.25
    wrpcap(str(folder / "ethernet.pcap"), ether)
    wrpcap(str(folder / "big-endian.pcap"), ether[:60], endianness=">")
    wrpcap(str(folder / "nanoseconds.pcap"), ether[:60], nano=True)
    wrpcap(str(folder / "raw.pcap"), bare[:80], linktype=101)
    wrpcap(str(folder / "loopback.pcap"), [Loopback(type=2 if isinstance(each, IP) else 10) / each for each in bare[:60]], linktype=0)
    cooked = [CookedLinux(pkttype=4, lladdrlen=6, src=bytes([0, 1, 2, 3, 4, 5, 0, 0]), proto=0x800 if isinstance(each, IP) else 0x86DD) / each for each in bare[:60]]
    wrpcap(str(folder / "sll.pcap"), cooked, linktype=113)
    cooked = [CookedLinuxV2(pkttype=0, lladdrlen=6, src=bytes([9, 1, 2, 3, 4, 5, 0, 0]), ifindex=3, proto=0x800 if isinstance(each, IP) else 0x86DD) / each for each in bare[:60]]
    wrpcap(str(folder / "sll2.pcap"), cooked, linktype=276)
    sections(folder / "sections.pcapng", ether)
    for path in sorted(folder.glob("*.pcap*")):
        with open(path.with_suffix(".csv"), "w", newline="") as out:
            writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(read(path))


main(Path(sys.argv[1]))
