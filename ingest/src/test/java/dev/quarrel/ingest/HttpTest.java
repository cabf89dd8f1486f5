package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lines of JSON and InfluxDB's lines by the JDK's HTTP client.
class HttpTest {
    @TempDir
    Path root;

    private static HttpResponse<String> post(Fixture fixture, String path, byte[] body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + fixture.receiver.httpAddress().getPort() + path))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void linesOfJson() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            byte[] body = utf8("""
                    {"time": "2026-11-27T02:00:00.5Z", "status": 200, "path": "/gr\\u00fc\\u00dfe"}

                    {"timestamp": 1795744800.25, "status": 404, "took": 1e-3, "geo": {"lat": 1.50, "on": [true, null]}}
                    {"@timestamp": "2026-11-27 03:00:00+01", "time": "no time", "id": 123456789012345678901234}
                    """);
            for (int times = 0; times < 2; times++) {
                HttpResponse<String> response = post(
                        fixture, "/ingest/web", body, "Idempotency-Key", "one", "Content-Type", "application/json");
                assertThat(response.body()).isEqualTo("{\"events\": 3}\n");
                assertThat(response.statusCode()).isEqualTo(200);
            }
            assertThat(fixture.rows("web", "time", "status", "path", "took", "geo", "id", "time_field"))
                    .containsExactly(
                            "2026-11-27T02:00:00.500Z|200|/grüße|-|-|-|-",
                            "2026-11-27T02:00:00.250Z|404|-|0.001|{\"on\": [true, null], \"lat\": 1.5}|-|-",
                            "2026-11-27T02:00:00Z|-|-|-|-|123456789012345678901234|no time");
            assertThat(post(fixture, "/ingest/web", utf8("[{\"date\": 1795744801000}, {\"status\": 1}]"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(post(fixture, "/ingest/web?precision=ms", utf8("[{\"date\": 1795744801000}]"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(fixture.rows("web", "time")).hasSize(6).contains("2026-11-27T02:00:01Z");
            assertThat(fixture.rows("web", "date")).contains("1795744801000"); // no time in seconds
        }
    }

    @Test
    void aKeyIsOfOneTableAndOneBody() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            for (String table : new String[] {"one", "two", "one", "two"}) {
                assertThat(post(fixture, "/ingest/" + table, utf8("{\"a\": 1}"), "Idempotency-Key", "k")
                                .statusCode())
                        .isEqualTo(200);
            }
            HttpResponse<String> other = post(fixture, "/ingest/one", utf8("{\"a\": 2}"), "Idempotency-Key", "k");
            assertThat(other.statusCode()).isEqualTo(422);
            assertThat(other.body())
                    .isEqualTo("{\"error\": \"other events were kept for the same table under this key\"}\n");
            assertThat(post(fixture, "/write", utf8("one a=1i 1\ntwo a=9i 1"), "Idempotency-Key", "l")
                            .statusCode())
                    .isEqualTo(204);
            assertThat(fixture.rows("one", "a")).containsExactlyInAnyOrder("1", "1");
            assertThat(fixture.rows("two", "a")).containsExactlyInAnyOrder("1", "9");
        }
        try (Fixture again = new Fixture(root)) { // ids are in the log, too
            assertThat(post(again, "/ingest/one", utf8("{\"a\": 1}"), "Idempotency-Key", "k")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(post(again, "/ingest/one", utf8("{\"a\": 2}"), "Idempotency-Key", "k")
                            .statusCode())
                    .isEqualTo(422);
            assertThat(again.rows("one", "a")).containsExactlyInAnyOrder("1", "1");
        }
    }

    @Test
    void aBodyThatIsTooLargeHasItsAnswerBeforeItComes() throws Exception {
        try (Fixture fixture = new Fixture(root);
                Socket socket = new Socket(
                        fixture.receiver.httpAddress().getAddress(),
                        fixture.receiver.httpAddress().getPort())) {
            socket.getOutputStream()
                    .write(utf8("POST /ingest/web HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n"
                            + "Expect: 100-continue\r\n\r\n"));
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 413");
        }
    }

    @Test
    void timesAreTheMicrosecondThatTheyAreIn() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            assertThat(post(fixture, "/ingest/t", utf8("""
                            {"time": "1969-12-31T23:59:59.9999991Z"}
                            {"time": "1970-01-01T00:00:00.0000009Z"}
                            {"time": -0.0000001}
                            """)).statusCode()).isEqualTo(200);
            assertThat(fixture.rows("t", "time"))
                    .containsExactlyInAnyOrder(
                            "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z");
        }
    }

    @Test
    void gzipThatEndsTooEarlyIsSaid() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            byte[] whole = ForwardClient.gzip(utf8("{\"a\": 1}"));
            for (int length : new int[] {0, 5, whole.length - 4}) {
                assertThat(post(fixture, "/ingest/web", Arrays.copyOf(whole, length), "Content-Encoding", "gzip")
                                .body())
                        .isEqualTo("{\"error\": \"gzip: it ends too early\"}\n");
            }
        }
    }

    @Test
    void whatNoTypeHoldsIsKeptAsText() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            assertThat(post(fixture, "/ingest/odd", utf8("""
                            {"v": 1e999, "doc": {"w": -1e999}, "s": "a\\ud800b\\ud83d\\ude00"}
                            {"v": 1e308, "s": "\\udc00\\ud800"}
                            """)).statusCode()).isEqualTo(200);
            assertThat(fixture.rows("odd", "v", "doc", "s"))
                    .containsExactly("1e999|{\"w\": \"-1e999\"}|a\uFFFDb\uD83D\uDE00", "1.0E308|-|\uFFFD\uFFFD");
            assertThat(post(fixture, "/write", utf8("cpu usage=1e999")).body())
                    .isEqualTo("{\"error\": \"line 1: \\\"1e999\\\" is beyond double precision\"}\n");
            assertThat(post(fixture, "/ingest/odd", utf8("{\"s\": \"\\u+041\"}"))
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void whatIsWrongIsSaidAndNothingIsKept() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1}\n{\"a\": }\n"))
                            .body())
                    .isEqualTo("{\"error\": \"line 2: a value is expected\"}\n");
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1")).statusCode())
                    .isEqualTo(400);
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1} x")).statusCode())
                    .isEqualTo(400);
            assertThat(post(fixture, "/ingest/", utf8("{}")).statusCode()).isEqualTo(404);
            assertThat(post(fixture, "/ingest/web?precision=y", utf8("{}")).statusCode())
                    .isEqualTo(400);
            assertThat(post(fixture, "/write", utf8("cpu usage=1x")).statusCode())
                    .isEqualTo(400);
            assertThat(post(fixture, "/ingest/web", ForwardClient.gzip(new byte[32 << 20]), "Content-Encoding", "gzip")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(fixture.rows("web", "a")).isEmpty();
        }
    }

    /// One name that no folder can have would keep all tables' rows out of files, for good.
    @Test
    void namesThatNoFolderHasAreRefused() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            String longest = "n".repeat(255);
            assertThat(post(fixture, "/ingest/" + longest, utf8("{\"a\": 1}")).statusCode())
                    .isEqualTo(200);
            assertThat(post(fixture, "/ingest/n" + longest, utf8("{\"a\": 2}")).body())
                    .isEqualTo("{\"error\": \"a table's name has 1 to 255 bytes as a folder's, this one has 256\"}\n");
            assertThat(post(fixture, "/ingest/_" + longest.substring(2), utf8("{\"a\": 2}"))
                            .statusCode())
                    .isEqualTo(400); // %5F
            assertThat(post(fixture, "/ingest/a%00b", utf8("{\"a\": 2}")).statusCode())
                    .isEqualTo(400);
            assertThat(post(fixture, "/write", utf8("web a=1i\nn" + longest + " a=2i"))
                            .statusCode())
                    .isEqualTo(400);
            try (ForwardClient client = fixture.client()) { // whose events have no other answer
                byte[] event = ForwardClient.events(ForwardClient.event(1, Map.of("a", 3)));
                client.send(ForwardClient.packed("n" + longest, event, Map.of("chunk", "f")));
                assertThat(client.ack()).isEqualTo("f");
            }
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 4}")).statusCode())
                    .isEqualTo(200);
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            assertThat(fixture.rows(longest, "a")).containsExactly("1");
            assertThat(fixture.rows("web", "a")).containsExactly("4");
            assertThat(fixture.ingest.counts().rejectedEvents()).isEqualTo(1);
        }
    }

    @Test
    void eventsThatAreNotTakenAreNotCountedAsSuch() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1}\n{\"a\": 2, \"\": 3}\n{\"a\": 4}"))
                            .body())
                    .isEqualTo("{\"events\": 2, \"rejected\": 1}\n");
            HttpResponse<String> lines = post(fixture, "/write", utf8("web a=5i\nweb " + "b".repeat(256) + "=6i"));
            assertThat(lines.statusCode()).isEqualTo(400);
            assertThat(lines.body()).startsWith("{\"error\": \"partial write: ").contains("dropped=1");
            assertThat(fixture.rows("web", "a")).containsExactly("1", "4", "5");
        }
    }

    @Test
    void influxLines() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            HttpResponse<String> response = post(fixture, "/write?db=x&precision=ms", utf8("""
                    # a comment
                    cpu,host=a\\ b,region=eu usage=0.64,n=3i,ok=t,s="x \\"q\\", y" 1795744800123
                    mem,host=a free=18446744073709551615u,used=5u 1795744800000
                    cpu,host=c usage=2
                    """));
            assertThat(response.statusCode()).isEqualTo(204);
            assertThat(fixture.rows("cpu", "host", "region", "usage", "n", "ok", "s"))
                    .containsExactly("a b|eu|0.64|3|t|x \"q\", y", "c|-|2.0|-|-|-");
            assertThat(fixture.rows("mem", "time", "host", "free", "used"))
                    .containsExactly("2026-11-27T02:00:00Z|a|18446744073709551615|5");
            assertThat(post(
                                    fixture,
                                    "/api/v2/write?bucket=x&org=y",
                                    ForwardClient.gzip(utf8("mem,host=z used=6i 1795744800000000999")),
                                    "Content-Encoding",
                                    "gzip")
                            .statusCode())
                    .isEqualTo(204);
            assertThat(fixture.rows("mem", "time", "host", "used")).endsWith("2026-11-27T02:00:00Z|z|6");
        }
    }

    @Test
    void fieldsWithATagsNameAreColumnsOfTheirOwn() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            assertThat(post(fixture, "/write", utf8("m,v=x,host=a v=2i,w=t\nm v=3i\n"))
                            .statusCode())
                    .isEqualTo(204);
            assertThat(fixture.rows("m", "v", "v_1", "host", "w")).containsExactly("x|2|a|t", "3|-|-|-");
            assertThat(post(fixture, "/write", utf8("m v=1i\nm,t=a,t=b v=1i")).body())
                    .isEqualTo("{\"error\": \"line 2: the tag \\\"t\\\" is there twice\"}\n");
            assertThat(post(fixture, "/write", utf8("m v=1i,w=f,v=2i")).body())
                    .isEqualTo("{\"error\": \"line 1: the field \\\"v\\\" is there twice\"}\n");
            assertThat(post(fixture, "/write", utf8("m,v=x v=1i,v_1=2i")).body())
                    .isEqualTo("{\"error\": \"line 1: the field \\\"v_1\\\" is there twice\"}\n");
            assertThat(post(fixture, "/write", utf8("m,v=x,v_1=y v=1i")).body())
                    .isEqualTo("{\"error\": \"line 1: the field \\\"v\\\" and the tag \\\"v_1\\\" are one column\"}\n");
            assertThat(fixture.rows("m", "v")).hasSize(2);
        }
    }

    @Test
    void aByteOrderMarkIsNoEvent() throws Exception {
        try (Fixture fixture = new Fixture(root)) {
            assertThat(post(fixture, "/ingest/web", utf8("\uFEFF{\"a\": 1}\n{\"a\": 2}\n"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(post(fixture, "/ingest/web", utf8("\uFEFF[{\"a\": 3}]")).statusCode())
                    .isEqualTo(200);
            assertThat(post(fixture, "/ingest/web", utf8("\uFEFF")).statusCode())
                    .isEqualTo(200);
            assertThat(fixture.rows("web", "a")).containsExactly("1", "2", "3");
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1}\n\uFEFF{\"a\": 2}\n"))
                            .body())
                    .isEqualTo("{\"error\": \"line 2: an event is an object\"}\n");
        }
    }

    @Test
    void theKeyIsWanted() throws Exception {
        try (Fixture fixture = new Fixture(IngestConfig.of(root), "secret", null, null)) {
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1}")).statusCode())
                    .isEqualTo(401);
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1}"), "Authorization", "Bearer wrong")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(post(fixture, "/ingest/web", utf8("{\"a\": 1}"), "Authorization", "Bearer secret")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(post(fixture, "/write", utf8("web a=2i"), "Authorization", "Token secret")
                            .statusCode())
                    .isEqualTo(204);
            assertThat(fixture.rows("web", "a")).containsExactly("1", "2");
        }
    }
}
