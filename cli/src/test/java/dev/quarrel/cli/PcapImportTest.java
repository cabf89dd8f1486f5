package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `quarrel import` of captured packets, against what scapy reads in the same files (`captures.py` beside them).
final class PcapImportTest {
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final String COLUMNS = "dst_mac, src_mac, ether_type, tos, ip_length, identifier, fragment, ttl,"
            + " ip_checksum, src_addr, dst_addr, ip_options, traffic_class, flow_label, hop_limit, src_addr6, dst_addr6,"
            + " ip6_options, protocol, src_port, dst_port, seq_nr, ack_nr, tcp_flags, window_sz, tcp_checksum,"
            + " urgent_ptr, tcp_options, udp_length, udp_checksum, icmp_type, icmp_code, icmp_checksum, payload,"
            + " vlan_id, inner_vlan_id, arp_operation, wire_length";

    @TempDir
    private Path folder;

    private String root;

    @BeforeEach
    void nameRoot() {
        root = folder.resolve("root").toString();
    }

    private static Path resource(String name) throws URISyntaxException {
        return Path.of(PcapImportTest.class.getResource("imports/pcap/" + name).toURI());
    }

    private CommandRun run(Path... files) {
        List<String> all = new ArrayList<>(List.of("import", "-o", root, "--name", "t"));
        Arrays.stream(files).map(Path::toString).forEach(all::add);
        return CommandRun.of(all.toArray(String[]::new));
    }

    private String sql(String text) {
        CommandRun outcome = CommandRun.of("sql", "--data", root, "--format", "csv", "-c", text);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        return outcome.out();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ethernet.pcap",
                "big-endian.pcap",
                "nanoseconds.pcap",
                "raw.pcap",
                "loopback.pcap",
                "sll.pcap",
                "sll2.pcap",
                "sections.pcapng"
            })
    void packetsAreWhatScapyReads(String name) throws Exception {
        CommandRun outcome = run(resource(name));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        String expected = Files.readString(resource(name.substring(0, name.indexOf('.')) + ".csv"));
        assertThat(sql("select (extract(epoch from timestamp) * 1000000)::bigint as micros, " + COLUMNS
                        + " from t order by 1"))
                .isEqualTo(expected);
    }

    @Test
    void addressesAreAddresses() throws Exception {
        assertThat(run(resource("ethernet.pcap")).exitCode()).isZero();
        assertThat(sql("select pg_typeof(timestamp), pg_typeof(src_mac), pg_typeof(src_addr), pg_typeof(src_addr6),"
                        + " pg_typeof(payload) from t limit 1"))
                .contains("timestamp with time zone,macaddr,inet,inet,bytea");
        assertThat(sql("select count(*) from t where src_addr << '128.0.0.0/1' or src_addr6 << '2001:db8::/32'"))
                .isEqualTo(sql("select count(*) from t where split_part(host(src_addr), '.', 1)::int >= 128"
                        + " or host(src_addr6) like '2001:db8:%'"));
        assertThat(sql("select distinct interface_id from t")).isEqualTo("interface_id\n\n");
    }

    @Test
    void filesFollowOneAnother() throws Exception {
        Path packed = folder.resolve("raw.pcap.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            Files.copy(resource("raw.pcap"), out);
        }
        CommandRun outcome = run(packed, resource("sections.pcapng"));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).contains("168 rows of 2 files");
        assertThat(sql("select interface_id, count(*) from t where interface_id > 0 group by 1 order by 1"))
                .isEqualTo("interface_id,count\n1,28\n2,26\n3,16\n");
    }

    /// Each packet is cut at each of its bytes: what is left of a header is NULL, and whatever else there is is as in
    /// the whole packet.
    @Test
    void packetsThatWereCutHaveNulls() throws Exception {
        byte[] whole = Files.readAllBytes(resource("ethernet.pcap"));
        ByteBuffer from = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
        Path cut = folder.resolve("cut.pcap");
        try (OutputStream out = Files.newOutputStream(cut)) {
            out.write(whole, 0, FILE_HEADER);
            int packet = 0;
            for (int at = FILE_HEADER; at < whole.length; packet++) {
                int length = from.getInt(at + 8);
                for (int kept = 0; kept <= Math.min(length, 160); kept++) {
                    ByteBuffer header = ByteBuffer.allocate(RECORD_HEADER).order(ByteOrder.LITTLE_ENDIAN);
                    header.putInt(packet).putInt(kept).putInt(kept).putInt(length);
                    out.write(header.array());
                    out.write(whole, at + RECORD_HEADER, kept);
                }
                at += RECORD_HEADER + length;
            }
        }
        CommandRun outcome = run(cut);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(CommandRun.of("import", resource("ethernet.pcap").toString(), "-o", root, "--append", "--name", "w")
                        .exitCode())
                .isZero();
        for (String column : COLUMNS.split(", ")) {
            boolean isHeader =
                    !List.of("payload", "ether_type", "ip6_options", "protocol").contains(column);
            if (isHeader) {
                assertThat(sql("select count(*) from (select extract(epoch from timestamp)::int n, " + column
                                + " v from t) t join (select row_number() over (order by timestamp) - 1 n, " + column
                                + " v from w) w using (n) where t.v is not null and t.v is distinct from w.v"))
                        .as(column)
                        .isEqualTo("count\n0\n");
            }
        }
    }

    @Test
    void aFileThatWasCutShortHasItsWholePackets() throws Exception {
        byte[] whole = Files.readAllBytes(resource("sections.pcapng"));
        Path cut = Files.write(folder.resolve("cut.pcapng"), Arrays.copyOf(whole, whole.length - 5));
        CommandRun outcome = run(cut);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err())
                .contains("cut.pcapng\" was cut short: it ends within the packet after the 95 that were read")
                .contains("95 rows of 1 file");
    }

    @Test
    void whatIsNoCaptureIsRefused() throws Exception {
        byte[] whole = Files.readAllBytes(resource("ethernet.pcap"));
        assertThat(refused(new byte[] {1, 2, 3})).contains("22P04", "begins neither as pcap nor as pcapng does");
        byte[] link = whole.clone();
        link[20] = 105;
        assertThat(refused(link)).contains("0A000", "link type 105, which is not read");
        byte[] length = whole.clone();
        length[FILE_HEADER + 11] = 0x7F;
        assertThat(refused(length)).contains("22P04", "is damaged at byte 24: a packet of ");
        byte[] blocks = Files.readAllBytes(resource("sections.pcapng"));
        blocks[24] ^= 4;
        assertThat(refused(blocks)).contains("22P04", "is damaged at byte 0: a block's two lengths differ");
    }

    private String refused(byte[] bytes) throws IOException {
        CommandRun outcome = run(Files.write(folder.resolve("x.pcap"), bytes));
        assertThat(outcome.exitCode()).isEqualTo(1);
        return outcome.err();
    }
}
