package dev.quarrel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The port for who watches a server: by plain sockets, while pgjdbc asks queries.
final class HttpPortTest {
    @TempDir
    private Path data;

    private Engine engine;
    private Server server;

    @BeforeEach
    void start() throws IOException {
        engine = LocalEngine.open(DatasetCatalog.open(data), SystemCatalog.install(EngineConfig.defaults(), List.of()));
        server = Server.start(
                engine,
                ServerConfig.defaults()
                        .with(ServerSetting.PORT, 0)
                        .with(ServerSetting.HTTP, "0")
                        .with(ServerSetting.HTTP_HOSTS, "db.example.org, Metrics"));
    }

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(
                server.httpAddress().getAddress(), server.httpAddress().getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /// Sends text as it is, and reads until the server closes.
    private String exchange(String request) throws IOException {
        try (Socket socket = connect();
                InputStream in = socket.getInputStream()) {
            socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path) throws IOException {
        return exchange("GET " + path + " HTTP/1.1\nHost: localhost\nConnection: close\n\n");
    }

    private Map<String, Double> metrics() throws IOException {
        Map<String, Double> values = new TreeMap<>();
        get("/metrics")
                .split("\r\n\r\n", 2)[1]
                .lines()
                .filter(line -> !line.startsWith("#"))
                .forEach(line -> {
                    int blank = line.lastIndexOf(' ');
                    values.put(line.substring(0, blank), Double.valueOf(line.substring(blank + 1)));
                });
        return values;
    }

    private Connection client() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel?user=ann");
    }

    @Test
    void countsWhatClientsDo() throws Exception {
        try (Connection client = client();
                Statement statement = client.createStatement();
                PreparedStatement prepared = client.prepareStatement("select ?::int from generate_series(1, 10)")) {
            try (ResultSet rows = statement.executeQuery("/* first */ select 1")) {
                assertThat(rows.next()).isTrue();
            }
            prepared.setInt(1, 7);
            try (ResultSet rows = prepared.executeQuery()) {
                assertThat(rows.next()).isTrue();
            }
            assertThatThrownBy(() -> statement.executeQuery("select 1 / 0")).hasMessageContaining("division");
            assertThatThrownBy(() -> statement.executeQuery("selec 1")).hasMessageContaining("syntax");
            Map<String, Double> counted = metrics();
            assertThat(counted)
                    .containsEntry("quarrel_queries_total{kind=\"select\",outcome=\"ok\",sqlstate_class=\"00\"}", 2.0)
                    .containsEntry(
                            "quarrel_queries_total{kind=\"select\",outcome=\"error\",sqlstate_class=\"22\"}", 1.0)
                    .containsEntry("quarrel_queries_total{kind=\"other\",outcome=\"error\",sqlstate_class=\"42\"}", 1.0)
                    .containsEntry("quarrel_query_duration_seconds_count{kind=\"select\"}", 3.0)
                    .containsEntry("quarrel_sessions{state=\"idle\"}", 1.0)
                    .containsEntry("quarrel_sessions{state=\"idle_in_transaction_aborted\"}", 0.0)
                    .containsEntry("quarrel_connections", 1.0)
                    .containsEntry("quarrel_max_connections", 100.0)
                    .containsEntry("quarrel_failed_logins_total", 0.0)
                    .containsEntry("quarrel_rows_sent_total", 11.0)
                    .containsEntry("quarrel_memory_used_bytes", 0.0)
                    .containsEntry("quarrel_device_memory_used_bytes{device=\"cpu\"}", 0.0)
                    .containsEntry("quarrel_ready", 1.0)
                    .containsKey("quarrel_spilled_bytes_total")
                    .containsKey("quarrel_workers_busy");
            assertThat(counted.get("quarrel_sent_bytes_total")).isGreaterThan(100);
            assertThat(counted.get("quarrel_plan_cache_misses_total")).isGreaterThanOrEqualTo(2);
            assertThat(counted.keySet()).anyMatch(name -> name.startsWith("jvm_memory_used_bytes"));
        }
        assertThat(get("/metrics")).contains("text/plain; version=0.0.4").doesNotContain("first", "ann\"");
    }

    @Test
    void healthAndReadiness() throws Exception {
        assertThat(get("/healthz")).startsWith("HTTP/1.1 200 OK").endsWith("\r\n\r\nok\n");
        assertThat(get("/readyz?from=probe")).startsWith("HTTP/1.1 200 OK");
        assertThat(get("/")).startsWith("HTTP/1.1 404");
        String head = exchange("HEAD /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n");
        assertThat(head)
                .startsWith("HTTP/1.1 200")
                .contains("content-length: 3")
                .endsWith("\r\n\r\n");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "localhost, 200",
        "LOCALHOST:9187, 200",
        "127.0.0.1:9187, 200",
        "10.1.2.3, 200",
        "'[::1]:9187', 200",
        "db.example.org:80, 200",
        "metrics, 200",
        "evil.example, 403",
        "127.0.0.1.evil.example, 403",
        "localhost.evil.example, 403",
        "'', 403"
    })
    void whoAsksByAnotherNameIsRefused(String host, int status) throws Exception {
        assertThat(exchange("GET /healthz HTTP/1.1\nHost: " + host + "\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 " + status);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'GET /healthz HTTP/1.0\n\n', 200",
        "'GET /healthz HTTP/1.1\nConnection: close\n\n', 400",
        "'GET /healthz HTTP/1.1\nHost: localhost\nHost: localhost\n\n', 400",
        "'POST /metrics HTTP/1.1\nHost: localhost\nConnection: close\n\n', 405",
        "'POST /metrics HTTP/1.1\nHost: localhost\nContent-Length: 5\n\nhello', 400",
        "'GET /metrics HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n0\n\n', 400",
        "'TRACE / HTTP/1.1\nHost: localhost\nConnection: close\n\n', 405",
        "'rubbish\n\n', 400"
    })
    void onlyPlainRequestsAreAnswered(String request, int status) throws Exception {
        assertThat(exchange(request)).startsWith("HTTP/1.1 " + status);
    }

    @Test
    void whatIsTooLongIsRefused() throws Exception {
        assertThat(exchange("GET /" + "a".repeat(5000) + " HTTP/1.1\n\n")).startsWith("HTTP/1.1 400");
        assertThat(exchange("GET / HTTP/1.1\nHost: localhost\nX: " + "a".repeat(20_000) + "\n\n"))
                .startsWith("HTTP/1.1 400");
    }

    @Test
    void whoAsksAndDoesNotReadHarmsNobody() throws Exception {
        try (Socket greedy = connect();
                Socket silent = connect()) {
            assertThat(silent.isConnected()).isTrue();
            byte[] request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
                    .replace("a", "localhost")
                    .getBytes(StandardCharsets.US_ASCII);
            try {
                for (int count = 0; count < 5000; count++) {
                    greedy.getOutputStream().write(request);
                }
            } catch (IOException _) {
                // closed meanwhile, as it should be
            }
            assertThat(get("/healthz")).startsWith("HTTP/1.1 200");
            try (Connection client = client();
                    Statement statement = client.createStatement();
                    ResultSet rows = statement.executeQuery("select 1")) {
                assertThat(rows.next()).isTrue();
            }
        }
    }

    @Test
    void anAddressThatIsNoneIsSaid() {
        assertThatThrownBy(() -> Server.start(
                        engine,
                        ServerConfig.defaults().with(ServerSetting.PORT, 0).with(ServerSetting.HTTP, "here")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not \"here\"");
    }
}
