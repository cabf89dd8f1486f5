package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The forward protocol's modes by a real socket, and the rows that they become, in memory and in files.
class ForwardTest {
    private static final Instant TIME = Instant.parse("2026-11-27T02:11:03.500001Z");

    @TempDir
    Path root;

    private static Map<String, Object> record(Object... pairs) {
        Map<String, Object> record = new LinkedHashMap<>();
        for (int pair = 0; pair < pairs.length; pair += 2) {
            record.put((String) pairs[pair], pairs[pair + 1]);
        }
        return record;
    }

    @Test
    void everyModeIsTakenAndAcknowledged() throws Exception {
        try (Fixture fixture = new Fixture(root);
                ForwardClient client = fixture.client()) {
            client.send(ForwardClient.bytes(
                    out -> { // message
                        out.packArrayHeader(4);
                        out.packString("app.web");
                        ForwardClient.value(out, TIME);
                        ForwardClient.value(out, record("n", 1, "mode", "message"));
                        ForwardClient.value(out, Map.of("chunk", "c1"));
                    }));
            assertThat(client.ack()).isEqualTo("c1");
            client.send(ForwardClient.bytes(
                    out -> { // forward
                        out.packArrayHeader(3);
                        out.packString("app.web");
                        ForwardClient.value(
                                out,
                                List.of(
                                        List.of(TIME, record("n", 2, "mode", "forward")),
                                        List.of(1_795_745_463, record("n", 3, "mode", "seconds"))));
                        ForwardClient.value(out, Map.of("chunk", "c2", "size", 2));
                    }));
            assertThat(client.ack()).isEqualTo("c2");
            byte[] events = ForwardClient.events(
                    ForwardClient.event(TIME, record("n", 4, "mode", "packed")),
                    ForwardClient.event(List.of(TIME, Map.of()), record("n", 5, "mode", "metadata")));
            client.send(ForwardClient.packed("app.web", events, Map.of("chunk", "c3", "fluent_signal", 0)));
            assertThat(client.ack()).isEqualTo("c3");
            byte[] compressed = ForwardClient.events(
                    ForwardClient.gzip(ForwardClient.event(TIME, record("n", 6, "mode", "gzip"))),
                    ForwardClient.gzip(ForwardClient.event(TIME, record("n", 7, "mode", "second member"))));
            client.send(ForwardClient.packed("app.web", compressed, Map.of("chunk", "c4", "compressed", "gzip")));
            assertThat(client.ack()).isEqualTo("c4");

            List<String> expected = List.of(
                    "2026-11-27T02:11:03.500001Z|app.web|1|message|2026-11-27|2",
                    "2026-11-27T02:11:03.500001Z|app.web|2|forward|2026-11-27|2",
                    "2026-11-27T02:11:03Z|app.web|3|seconds|2026-11-27|2",
                    "2026-11-27T02:11:03.500001Z|app.web|4|packed|2026-11-27|2",
                    "2026-11-27T02:11:03.500001Z|app.web|5|metadata|2026-11-27|2",
                    "2026-11-27T02:11:03.500001Z|app.web|6|gzip|2026-11-27|2",
                    "2026-11-27T02:11:03.500001Z|app.web|7|second member|2026-11-27|2");
            assertThat(fixture.rows("logs", "time", "tag", "n", "mode", "day", "hour"))
                    .isEqualTo(expected);

            assertThat(fixture.ingest.flush(20_000)).isTrue();
            assertThat(fixture.rows("logs", "time", "tag", "n", "mode", "day", "hour"))
                    .isEqualTo(expected);
            try (DatasetCatalog files = DatasetCatalog.open(root)) {
                assertThat(Fixture.rows(files, "logs", "time", "tag", "n", "mode", "day", "hour"))
                        .isEqualTo(expected);
            }
            assertThat(root.resolve("logs/day=2026-11-27/hour=02")).isDirectory();
            client.send(ForwardClient.packed("app.web", events, Map.of("chunk", "c3")));
            assertThat(client.ack()).isEqualTo("c3"); // sent again
            assertThat(fixture.rows("logs", "n")).hasSize(7);
            assertThat(fixture.ingest.counts().repeatedChunks()).isEqualTo(1);
        }
    }

    /// What Fluent Bit's `forward` output writes and reads with its defaults and `Require_ack_response`, byte by byte.
    @Test
    void fluentBitsBytes() throws Exception {
        String id = "0123456789abcdef0123456789abcdef";
        String idBytes = HexFormat.of().formatHex(id.getBytes(StandardCharsets.US_ASCII));
        String message = "93" // [tag, events, options]
                + "a76170702e776562" // "app.web"
                + "92" // two events
                + "92" + "d7006a1e5fa71dcd6500" + "82" + "a36c6f67" + "a26869" + "a16e" + "cd012c"
                + "92" + "92d7006a1e5fa80000000080" + "82" + "a36c6f67" + "a3796f75" + "a16e" + "ff"
                + "83" // options
                + "a56368756e6b" + "d920" + idBytes // "chunk"
                + "a473697a65" + "02" // "size"
                + "ad666c75656e745f7369676e616c" + "00"; // "fluent_signal"
        try (Fixture fixture = new Fixture(root);
                Socket socket = new Socket(
                        fixture.receiver.forwardAddress().getAddress(),
                        fixture.receiver.forwardAddress().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(HexFormat.of().parseHex(message));
            byte[] ack = socket.getInputStream().readNBytes(1 + 4 + 2 + 32);
            assertThat(HexFormat.of().formatHex(ack)).isEqualTo("81" + "a361636b" + "d920" + idBytes);
            assertThat(fixture.rows("logs", "time", "tag", "log", "n"))
                    .containsExactly(
                            Instant.ofEpochSecond(0x6a1e5fa7, 500_000_000) + "|app.web|hi|300",
                            Instant.ofEpochSecond(0x6a1e5fa8) + "|app.web|you|-1");
        }
    }

    @Test
    void typesAreLearnedAndFieldsBecomeColumns() throws Exception {
        try (Fixture fixture = new Fixture(root);
                ForwardClient client = fixture.client()) {
            byte[] events = ForwardClient.events(
                    ForwardClient.event(
                            TIME,
                            record(
                                    "int",
                                    42,
                                    "float",
                                    1.5,
                                    "bool",
                                    true,
                                    "text",
                                    "grüße",
                                    "bytes",
                                    new byte[] {1, 2},
                                    "nested",
                                    record("b", 1, "a", List.of(1, 2.5, "x")),
                                    "when",
                                    TIME,
                                    "hour",
                                    "reserved",
                                    "big",
                                    BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE),
                                    "nothing",
                                    null)),
                    ForwardClient.event(TIME, record("new", 1, "int", 2.5, "float", 7, "text", 13, "bool", "no")),
                    ForwardClient.event(TIME, record("int", 3.0, "int", 4)));
            client.send(ForwardClient.packed("types", events, Map.of("chunk", "t1")));
            assertThat(client.ack()).isEqualTo("t1");
            for (int pass = 0; pass < 2; pass++) {
                assertThat(fixture.rows(
                                "types",
                                "int",
                                "float",
                                "bool",
                                "text",
                                "bytes",
                                "nested",
                                "when",
                                "hour_field",
                                "big",
                                "new",
                                "int_float",
                                "bool_text"))
                        .containsExactly(
                                "42|1.5|t|grüße|\\x0102|{\"a\": [1, 2.5, \"x\"], \"b\": 1}|" + TIME
                                        + "|reserved|18446744073709551615|-|-|-",
                                "-|7.0|-|13|-|-|-|-|-|1|2.5|no",
                                "4|-|-|-|-|-|-|-|-|-|-|-");
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
        }
    }

    @Test
    void whatIsNoEventIsKeptAsideAndTheRestIsTaken() throws Exception {
        try (Fixture fixture = new Fixture(root);
                ForwardClient client = fixture.client()) {
            byte[] events = ForwardClient.events(
                    ForwardClient.event(TIME, record("n", 1)),
                    ForwardClient.bytes(out -> out.packString("no event")),
                    ForwardClient.event("no time", record("n", 2)),
                    ForwardClient.event(TIME, record("", 3, "n", 3)),
                    ForwardClient.event(TIME, record("n", 4)),
                    new byte[] {(byte) 0x92, 1});
            client.send(ForwardClient.packed("r", events, Map.of("chunk", "r1")));
            assertThat(client.ack()).isEqualTo("r1");
            assertThat(fixture.rows("r", "n")).containsExactly("1", "4");
            assertThat(fixture.ingest.counts().rejectedEvents()).isEqualTo(4);
            try (var files = Files.list(root.resolve("_ingest/rejected"))) {
                String lines = Files.readString(files.findFirst().orElseThrow());
                assertThat(lines.lines().toList())
                        .hasSize(4)
                        .anyMatch(line -> line.contains("\"event\": [\"no time\", {\"n\": 2}]"))
                        .anyMatch(line -> line.contains("the chunk ends within an event"));
            }
        }
    }

    @Test
    void aCrashLosesNothingAndDoublesNothing() throws Exception {
        byte[] events = ForwardClient.event(TIME, record("n", 1));
        Path copy = root.resolveSibling(root.getFileName() + "-killed");
        try (Fixture fixture = new Fixture(root);
                ForwardClient client = fixture.client()) {
            client.send(ForwardClient.packed("k", events, Map.of("chunk", "k1")));
            client.ack();
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            client.send(ForwardClient.packed("k", ForwardClient.event(TIME, record("n", 2)), Map.of("chunk", "k2")));
            client.ack();
            copy(root, copy); // the disk as a killed process leaves it
        }
        try (Fixture fixture = new Fixture(copy);
                ForwardClient client = fixture.client()) {
            assertThat(fixture.rows("k", "n")).containsExactly("1", "2");
            client.send(ForwardClient.packed("k", events, Map.of("chunk", "k1")));
            assertThat(client.ack()).isEqualTo("k1");
            client.send(ForwardClient.packed("k", ForwardClient.event(TIME, record("n", 2)), Map.of("chunk", "k2")));
            assertThat(client.ack()).isEqualTo("k2");
            assertThat(fixture.rows("k", "n")).containsExactly("1", "2");
        }
        try (DatasetCatalog files = DatasetCatalog.open(copy)) {
            assertThat(Fixture.rows(files, "k", "n")).containsExactly("1", "2");
        }
    }

    static void copy(Path from, Path to) throws IOException {
        try (var paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }

    @Test
    void theSharedKeyIsWanted() throws Exception {
        try (Fixture fixture = new Fixture(IngestConfig.of(root), "secret", null, null)) {
            try (ForwardClient client = fixture.client()) {
                client.logIn("secret", "web-1");
                client.send(
                        ForwardClient.packed("s", ForwardClient.event(TIME, record("n", 1)), Map.of("chunk", "s1")));
                assertThat(client.ack()).isEqualTo("s1");
            }
            try (ForwardClient client = fixture.client()) {
                assertThat(client.logIn("wrong", "web-1")
                                .asArrayValue()
                                .get(1)
                                .asBooleanValue()
                                .getBoolean())
                        .isFalse();
                assertThat(client.isClosedByPeer()).isTrue();
            }
            try (ForwardClient client = fixture.client()) {
                client.receive(); // HELO
                client.send(ForwardClient.packed("s", ForwardClient.event(TIME, record("n", 2)), Map.of()));
                assertThat(client.isClosedByPeer()).isTrue();
            }
            assertThat(fixture.rows("s", "n")).containsExactly("1");
        }
    }

    @Test
    void garbageHurtsOnlyWhoSendsIt() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            List<byte[]> wrong = List.of(
                    "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                    new byte[] {(byte) 0xC1},
                    new byte[] {(byte) 0xDD, 0x7F, -1, -1, -1}, // an array of 2³¹ elements
                    ForwardClient.bytes(out -> {
                        out.packArrayHeader(2);
                        out.packString("t");
                        out.packBinaryHeader(Integer.MAX_VALUE);
                    }),
                    ForwardClient.packed("bomb", ForwardClient.gzip(new byte[64 << 20]), Map.of("compressed", "gzip")),
                    ForwardClient.packed("z", new byte[] {1, 2, 3}, Map.of("compressed", "zstd")));
            for (byte[] message : wrong) {
                try (ForwardClient client = fixture.client()) {
                    client.send(message);
                    assertThat(client.isClosedByPeer()).isTrue();
                }
            }
            try (ForwardClient idle = fixture.client();
                    ForwardClient client = fixture.client()) {
                assertThat(idle).isNotNull();
                client.send(
                        ForwardClient.packed("ok", ForwardClient.event(TIME, record("n", 1)), Map.of("chunk", "g1")));
                assertThat(client.ack()).isEqualTo("g1");
            }
        }
    }

    @Test
    void aMessageMayComeByteByByte() throws Exception {
        try (Fixture fixture = new Fixture(root);
                ForwardClient client = fixture.client()) {
            byte[] message = ForwardClient.events(
                    ForwardClient.packed("b", ForwardClient.event(TIME, record("n", 1)), Map.of("chunk", "b1")),
                    ForwardClient.packed("b", ForwardClient.event(TIME, record("n", 2)), Map.of("chunk", "b2")));
            for (byte each : message) {
                client.send(new byte[] {each});
                Thread.sleep(1);
            }
            assertThat(client.ack()).isEqualTo("b1");
            assertThat(client.ack()).isEqualTo("b2");
            assertThat(fixture.rows("b", "n")).containsExactly("1", "2");
        }
    }
}
