package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.csv.ColumnList;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// A batch of packets: what their headers say, column by column. Everything may be NULL: a header that is not there, or
/// of which not all was captured.
///
/// Values are in arrays of the heap at first, 0 where they are NULL: to store into these is fast before it is compiled,
/// too.
///
/// Names and order are those of PG-Strom's pcap2arrow; behind the payload stands what it has not.
final class PacketColumns {
    static final Schema SCHEMA = new Schema(ColumnList.parse("""
            "timestamp" timestamptz, dst_mac macaddr, src_mac macaddr, ether_type integer,
            tos smallint, ip_length integer, identifier integer, fragment integer, ttl smallint, ip_checksum integer,
            src_addr inet, dst_addr inet, ip_options bytea,
            traffic_class smallint, flow_label bigint, hop_limit smallint, src_addr6 inet, dst_addr6 inet,
            ip6_options bytea,
            protocol smallint, src_port integer, dst_port integer,
            seq_nr bigint, ack_nr bigint, tcp_flags integer, window_sz integer, tcp_checksum integer,
            urgent_ptr integer, tcp_options bytea,
            udp_length integer, udp_checksum integer,
            icmp_type smallint, icmp_code smallint, icmp_checksum integer,
            payload bytea,
            interface_id bigint, vlan_id integer, inner_vlan_id integer, arp_operation integer, wire_length bigint"""));

    private final int rows;

    // Which packets have what.
    final Presence time;
    final Presence ether;
    final Presence ipv4;
    final Presence ipv6;
    final Presence ip;
    final Presence ports;
    final Presence tcp;
    final Presence udp;
    final Presence icmp;
    final Presence interfaces;
    final Presence vlan;
    final Presence innerVlan;
    final Presence arp;
    final Presence all;

    final long[] timestamp;
    final AddressColumn dstMac;
    final AddressColumn srcMac;
    final int[] etherType;
    final short[] tos;
    final int[] ipLength;
    final int[] identifier;
    final int[] fragment;
    final short[] ttl;
    final int[] ipChecksum;
    final AddressColumn srcAddr;
    final AddressColumn dstAddr;
    final BytesColumn ipOptions;
    final short[] trafficClass;
    final long[] flowLabel;
    final short[] hopLimit;
    final AddressColumn srcAddr6;
    final AddressColumn dstAddr6;
    final BytesColumn ip6Options;
    final short[] protocol;
    final int[] srcPort;
    final int[] dstPort;
    final long[] seqNr;
    final long[] ackNr;
    final int[] tcpFlags;
    final int[] windowSz;
    final int[] tcpChecksum;
    final int[] urgentPtr;
    final BytesColumn tcpOptions;
    final int[] udpLength;
    final int[] udpChecksum;
    final short[] icmpType;
    final short[] icmpCode;
    final int[] icmpChecksum;
    final BytesColumn payload;
    final long[] interfaceId;
    final int[] vlanId;
    final int[] innerVlanId;
    final int[] arpOperation;
    final long[] wireLength;

    PacketColumns(int rows) {
        this.rows = rows;
        time = new Presence(rows);
        ether = new Presence(rows);
        ipv4 = new Presence(rows);
        ipv6 = new Presence(rows);
        ip = new Presence(rows);
        ports = new Presence(rows);
        tcp = new Presence(rows);
        udp = new Presence(rows);
        icmp = new Presence(rows);
        interfaces = new Presence(rows);
        vlan = new Presence(rows);
        innerVlan = new Presence(rows);
        arp = new Presence(rows);
        all = new Presence(rows);
        timestamp = new long[rows];
        dstMac = new AddressColumn(AddressText.MAC, rows);
        srcMac = new AddressColumn(AddressText.MAC, rows);
        etherType = new int[rows];
        tos = new short[rows];
        ipLength = new int[rows];
        identifier = new int[rows];
        fragment = new int[rows];
        ttl = new short[rows];
        ipChecksum = new int[rows];
        srcAddr = new AddressColumn(AddressText.IPV4, rows);
        dstAddr = new AddressColumn(AddressText.IPV4, rows);
        ipOptions = new BytesColumn(rows);
        trafficClass = new short[rows];
        flowLabel = new long[rows];
        hopLimit = new short[rows];
        srcAddr6 = new AddressColumn(AddressText.IPV6, rows);
        dstAddr6 = new AddressColumn(AddressText.IPV6, rows);
        ip6Options = new BytesColumn(rows);
        protocol = new short[rows];
        srcPort = new int[rows];
        dstPort = new int[rows];
        seqNr = new long[rows];
        ackNr = new long[rows];
        tcpFlags = new int[rows];
        windowSz = new int[rows];
        tcpChecksum = new int[rows];
        urgentPtr = new int[rows];
        tcpOptions = new BytesColumn(rows);
        udpLength = new int[rows];
        udpChecksum = new int[rows];
        icmpType = new short[rows];
        icmpCode = new short[rows];
        icmpChecksum = new int[rows];
        payload = new BytesColumn(rows);
        interfaceId = new long[rows];
        vlanId = new int[rows];
        innerVlanId = new int[rows];
        arpOperation = new int[rows];
        wireLength = new long[rows];
    }

    /// The batch.
    ///
    /// - Memory: `block` is part of it: nobody else uses that before the batch is closed.
    ///
    /// @param block what the packets lie in
    /// @param release runs when the batch is closed
    Batch finish(byte[] block, Runnable release) {
        PooledMemory memory = new PooledMemory();
        Batch batch = null;
        try {
            batch = Batch.owning(SCHEMA, columns(block, new OffHeap(memory)), rows, () -> {
                memory.close();
                release.run();
            });
            return batch;
        } finally {
            if (batch == null) {
                memory.close();
            }
        }
    }

    private List<Column> columns(byte[] block, OffHeap memory) {
        Finished to = new Finished(memory);
        to.add(timestamp, time);
        to.add(dstMac.finish(memory));
        to.add(srcMac.finish(memory));
        to.add(etherType, ether);
        to.add(tos, ipv4);
        to.add(ipLength, ipv4);
        to.add(identifier, ipv4);
        to.add(fragment, ipv4);
        to.add(ttl, ipv4);
        to.add(ipChecksum, ipv4);
        to.add(srcAddr.finish(memory));
        to.add(dstAddr.finish(memory));
        to.add(ipOptions.copied(block, memory));
        to.add(trafficClass, ipv6);
        to.add(flowLabel, ipv6);
        to.add(hopLimit, ipv6);
        to.add(srcAddr6.finish(memory));
        to.add(dstAddr6.finish(memory));
        to.add(ip6Options.copied(block, memory));
        to.add(protocol, ip);
        to.add(srcPort, ports);
        to.add(dstPort, ports);
        to.add(seqNr, tcp);
        to.add(ackNr, tcp);
        to.add(tcpFlags, tcp);
        to.add(windowSz, tcp);
        to.add(tcpChecksum, tcp);
        to.add(urgentPtr, tcp);
        to.add(tcpOptions.copied(block, memory));
        to.add(udpLength, udp);
        to.add(udpChecksum, udp);
        to.add(icmpType, icmp);
        to.add(icmpCode, icmp);
        to.add(icmpChecksum, icmp);
        // Moves what is in the block: the columns behind it have nothing there.
        to.add(payload.moved(block, memory));
        to.add(interfaceId, interfaces);
        to.add(vlanId, vlan);
        to.add(innerVlanId, innerVlan);
        to.add(arpOperation, arp);
        to.add(wireLength, all);
        return to.columns;
    }

    /// Columns in the schema's order.
    private final class Finished {
        private final List<Column> columns = new ArrayList<>();
        private final OffHeap memory;

        Finished(OffHeap memory) {
            this.memory = memory;
        }

        void add(Column column) {
            columns.add(column);
        }

        void add(short[] values, Presence present) {
            add(memory.of(values), Short.BYTES, present);
        }

        void add(int[] values, Presence present) {
            add(memory.of(values), Integer.BYTES, present);
        }

        void add(long[] values, Presence present) {
            add(memory.of(values), Long.BYTES, present);
        }

        private void add(MemorySegment values, int width, Presence present) {
            DataType type = SCHEMA.type(columns.size());
            if (type.byteWidth() != width) {
                throw new IllegalStateException(width + " bytes for " + SCHEMA.field(columns.size()));
            }
            columns.add(new FixedColumn(type, rows, values, present.validity(memory)));
        }
    }
}
