package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.csv.ColumnList;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// A batch of packets: what their headers say, column by column. Everything may be NULL: a header that is not there, or
/// of which not all was captured.
///
/// Names and order are those of PG-Strom's pcap2arrow; behind the payload stands what it has not.
final class PacketColumns {
    static final int MAX_ROWS = 1 << 17;

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

    final NumberColumn timestamp = new NumberColumn();
    final AddressColumn dstMac = new AddressColumn(AddressColumn.Kind.MAC);
    final AddressColumn srcMac = new AddressColumn(AddressColumn.Kind.MAC);
    final NumberColumn etherType = new NumberColumn();

    final NumberColumn tos = new NumberColumn();
    final NumberColumn ipLength = new NumberColumn();
    final NumberColumn identifier = new NumberColumn();
    final NumberColumn fragment = new NumberColumn();
    final NumberColumn ttl = new NumberColumn();
    final NumberColumn ipChecksum = new NumberColumn();
    final AddressColumn srcAddr = new AddressColumn(AddressColumn.Kind.IPV4);
    final AddressColumn dstAddr = new AddressColumn(AddressColumn.Kind.IPV4);
    final BytesColumn ipOptions = new BytesColumn();

    final NumberColumn trafficClass = new NumberColumn();
    final NumberColumn flowLabel = new NumberColumn();
    final NumberColumn hopLimit = new NumberColumn();
    final AddressColumn srcAddr6 = new AddressColumn(AddressColumn.Kind.IPV6);
    final AddressColumn dstAddr6 = new AddressColumn(AddressColumn.Kind.IPV6);
    final BytesColumn ip6Options = new BytesColumn();

    final NumberColumn protocol = new NumberColumn();
    final NumberColumn srcPort = new NumberColumn();
    final NumberColumn dstPort = new NumberColumn();

    final NumberColumn seqNr = new NumberColumn();
    final NumberColumn ackNr = new NumberColumn();
    final NumberColumn tcpFlags = new NumberColumn();
    final NumberColumn windowSz = new NumberColumn();
    final NumberColumn tcpChecksum = new NumberColumn();
    final NumberColumn urgentPtr = new NumberColumn();
    final BytesColumn tcpOptions = new BytesColumn();

    final NumberColumn udpLength = new NumberColumn();
    final NumberColumn udpChecksum = new NumberColumn();

    final NumberColumn icmpType = new NumberColumn();
    final NumberColumn icmpCode = new NumberColumn();
    final NumberColumn icmpChecksum = new NumberColumn();

    final BytesColumn payload = new BytesColumn();

    final NumberColumn interfaceId = new NumberColumn();
    final NumberColumn vlanId = new NumberColumn();
    final NumberColumn innerVlanId = new NumberColumn();
    final NumberColumn arpOperation = new NumberColumn();
    final NumberColumn wireLength = new NumberColumn();

    /// As [#SCHEMA] has them.
    private final List<PacketColumn> all = List.of(
            timestamp,
            dstMac,
            srcMac,
            etherType,
            tos,
            ipLength,
            identifier,
            fragment,
            ttl,
            ipChecksum,
            srcAddr,
            dstAddr,
            ipOptions,
            trafficClass,
            flowLabel,
            hopLimit,
            srcAddr6,
            dstAddr6,
            ip6Options,
            protocol,
            srcPort,
            dstPort,
            seqNr,
            ackNr,
            tcpFlags,
            windowSz,
            tcpChecksum,
            urgentPtr,
            tcpOptions,
            udpLength,
            udpChecksum,
            icmpType,
            icmpCode,
            icmpChecksum,
            payload,
            interfaceId,
            vlanId,
            innerVlanId,
            arpOperation,
            wireLength);

    /// The rows so far; it begins again with none.
    ///
    /// @param buffer where the bytes of the rows are
    Batch finish(byte[] buffer, int rows) {
        PooledMemory memory = new PooledMemory();
        Batch batch = null;
        try {
            List<Column> columns = new ArrayList<>();
            for (int index = 0; index < all.size(); index++) {
                columns.add(all.get(index).finish(SCHEMA.field(index).type(), memory, buffer, rows));
            }
            batch = Batch.owning(SCHEMA, columns, rows, memory::close);
            return batch;
        } finally {
            if (batch == null) {
                memory.close();
            }
        }
    }
}
