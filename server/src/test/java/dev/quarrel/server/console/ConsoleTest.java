package dev.quarrel.server.console;

import static dev.quarrel.server.console.ConsoleClient.at;
import static dev.quarrel.server.console.ConsoleClient.number;
import static dev.quarrel.server.console.ConsoleClient.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.server.MemoryCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The console's routes and refusals, on a real server, by HTTP.
final class ConsoleTest {
    @TempDir
    private static Path folder;

    private static Engine engine;
    private static Server server;
    private static volatile Users users;

    private ConsoleClient client;

    @BeforeAll
    static void start() throws IOException {
        Path file = folder.resolve("users");
        Files.writeString(
                file,
                "ann:" + ScramVerifier.ofPassword("Ann's") + "\nbob:" + ScramVerifier.ofPassword("Bob's")
                        + "\ngrant select on all to ann\ngrant select on days to bob\n");
        users = Users.read(file);
        MemoryCatalog catalog = new MemoryCatalog()
                .with(
                        "public",
                        "days",
                        List.of("day date not null", "n integer", "name text"),
                        new String[] {"2024-01-01", "3", "<b>one</b>"},
                        new String[] {"2024-01-02", null, "zwei"})
                .with("public", "secrets", List.of("s text"), new String[] {"s"});
        engine = LocalEngine.open(
                catalog, SystemCatalog.install(EngineConfig.defaults(), () -> users, java.util.Set.of("quarrel")));
        server = Server.start(
                engine,
                ServerConfig.defaults()
                        .with(ServerSetting.PORT, 0)
                        .with(ServerSetting.HTTP, "0")
                        .with(ServerSetting.HTTP_HOSTS, "db.example.org")
                        .with(ServerSetting.CONSOLE, "on")
                        .withUsers(() -> users));
    }

    @AfterAll
    static void stop() {
        server.close();
        engine.close();
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(server.httpAddress());
    }

    @AfterEach
    void close() {
        client.close();
    }

    private void loginAsAnn() throws Exception {
        assertThat(client.login("ann", "Ann's").statusCode()).isEqualTo(200);
    }

    private static Connection wire(String user, String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel", user, password);
    }

    private String exchange(String request) throws IOException {
        try (Socket socket = new Socket(
                        server.httpAddress().getAddress(), server.httpAddress().getPort());
                InputStream in = socket.getInputStream()) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    // ---- pages

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'', text/html; charset=utf-8",
        "/, text/html; charset=utf-8",
        "/console.css, text/css; charset=utf-8",
        "/console.js, text/javascript; charset=utf-8"
    })
    void pagesAreThereForEverybody(String path, String type) throws Exception {
        HttpResponse<String> page = client.get(path);
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("content-type")).hasValue(type);
        assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'")
                .doesNotContain("unsafe");
        assertThat(page.headers().map())
                .containsEntry("x-content-type-options", List.of("nosniff"))
                .containsEntry("referrer-policy", List.of("no-referrer"))
                .containsEntry("cache-control", List.of("no-store"));
        // nothing that the policy would refuse, and nothing that makes HTML of texts
        assertThat(page.body())
                .doesNotContain("style=\"", "<style", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write")
                .doesNotContainPattern("(?i)<script(?! src=\"/console/console.js\")")
                .doesNotContainPattern("https?://(?!www\\.w3\\.org/2000/svg)");
    }

    @Test
    void pagesAreSmall() throws Exception {
        int bytes = 0;
        for (String path : List.of("", "/console.css", "/console.js")) {
            bytes += client.get(path).body().getBytes(StandardCharsets.UTF_8).length;
        }
        assertThat(bytes).isLessThan(60 * 1024);
    }

    // ---- refusals

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"/api/session", "/api/status", "/api/queries", "/api/tables", "/api/tables/public/days"})
    void nothingIsSaidToStrangers(String path) throws Exception {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(at(answer, "needsPassword")).isEqualTo(new JsonValue.Bool(true));
        assertThat(answer.body()).doesNotContain("days");
        client.cookie("quarrel_console_" + server.httpAddress().getPort() + "=AAAA");
        assertThat(client.get(path).statusCode()).isEqualTo(401);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"/logout", "/api/run", "/api/explain", "/api/cancel"})
    void nothingIsDoneForStrangersOrForOtherPages(String path) throws Exception {
        Map<String, Object> body = Json.object("text", "select 1");
        assertThat(client.post(path, body).statusCode()).isEqualTo(401);
        loginAsAnn();
        assertThat(client.get(path).statusCode()).isEqualTo(405);
        assertThat(client.get(path).headers().firstValue("allow")).hasValue("POST");
        byte[] json = Json.bytes(body);
        for (String[] headers : new String[][] {
            {"origin", "http://evil.example"},
            {"origin", "null"},
            {"origin", "http://127.0.0.1:1"},
            {"sec-fetch-site", "same-site"},
            {"sec-fetch-site", "cross-site", "origin", client.root()},
            {"sec-fetch-site", "none"},
            {"x-nothing", "said"}
        }) {
            HttpRequest.Builder request = client.request(path)
                    .headers(headers)
                    .header("content-type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(json));
            assertThat(client.send(request).statusCode())
                    .as(List.of(headers).toString())
                    .isEqualTo(403);
        }
        HttpRequest.Builder form = client.request(path)
                .header("origin", client.root())
                .header("content-type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofByteArray(json));
        assertThat(client.send(form).statusCode()).isEqualTo(415);
    }

    @Test
    void aBrowserThatSaysSameOriginIsEnough() throws Exception {
        loginAsAnn();
        HttpRequest.Builder request = client.request("/api/run")
                .header("sec-fetch-site", "same-origin")
                .header("content-type", "application/json; charset=utf-8")
                .POST(HttpRequest.BodyPublishers.ofString("{\"text\":\"select 1\"}"));
        assertThat(client.send(request).statusCode()).isEqualTo(200);
        assertThat(client.send(client.request("/api/tables").header("sec-fetch-site", "cross-site"))
                        .statusCode())
                .isEqualTo(403);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "/console/api/status, PUT, 405",
        "/console/api/status, POST, 405",
        "/console/api/status, HEAD, 405",
        "/console/login, GET, 405",
        "/console/console.js, POST, 405",
        "/console/console.js, HEAD, 200",
        "/console/../etc/passwd, GET, 404",
        "/console/package-info.class, GET, 404",
        "/consoles, GET, 404"
    })
    void onlyWhatIsThereIsAnswered(String path, String method, int status) throws Exception {
        assertThat(exchange(method + " " + path + " HTTP/1.1\nHost: localhost\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 " + status);
    }

    @Test
    void otherHostsAreRefused() throws Exception {
        assertThat(exchange("GET /console HTTP/1.1\nHost: evil.example\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 403");
        assertThat(exchange("GET /console HTTP/1.1\nHost: db.example.org\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 200");
        assertThat(exchange("POST /console/api/run HTTP/1.1\nHost: localhost\nOrigin: http://127.0.0.1\n"
                        + "Content-Type: application/json\nConnection: close\nContent-Length: 2\n\n{}"))
                .startsWith("HTTP/1.1 403");
    }

    @Test
    void bodiesAreBounded() throws Exception {
        loginAsAnn();
        assertThat(client.run("select '" + "x".repeat(200_000) + "'").statusCode())
                .isEqualTo(200);
        assertThat(client.run("select '" + "x".repeat(300_000) + "'").statusCode())
                .isEqualTo(413);
        assertThat(client.login("ann", "x".repeat(20_000)).statusCode()).isEqualTo(413);
        assertThat(client.post("/api/run", List.of("[".repeat(100_000))).statusCode())
                .isEqualTo(200);
        String deep = "[".repeat(100_000);
        assertThat(client.send(client.request("/api/run")
                                .header("origin", client.root())
                                .header("content-type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(deep)))
                        .statusCode())
                .isEqualTo(200); // no object, so no text: an empty statement
    }

    /// A client that sends all of a request before it reads loses no answer to what was not read of it.
    @Test
    void theAnswerToABodyThatIsTooLargeArrives() throws Exception {
        URI root = URI.create(client.root());
        byte[] body = "x".repeat(3_000_000).getBytes(StandardCharsets.US_ASCII);
        String head = "POST /console/api/run HTTP/1.1\r\nHost: " + root.getAuthority() + "\r\nContent-Length: "
                + body.length + "\r\n\r\n";
        try (Socket socket = new Socket(root.getHost(), root.getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 413 ");
        }
    }

    // ---- logins

    @Test
    void loginAndLogout() throws Exception {
        HttpResponse<String> login = client.login("ann", "Ann's");
        assertThat(login.headers().firstValue("set-cookie").orElseThrow())
                .matches("quarrel_console_\\d+=[A-Za-z0-9_-]{43}; Path=/console; HttpOnly; SameSite=Strict");
        assertThat(text(login, "user")).isEqualTo("ann");
        assertThat(text(client.get("/api/session"), "databases", "0")).isEqualTo("quarrel");
        String cookie = client.cookie();
        HttpResponse<String> logout = client.post("/logout", Map.of());
        assertThat(logout.headers().firstValue("set-cookie").orElseThrow()).contains("Max-Age=0");
        client.cookie(cookie);
        assertThat(client.get("/api/session").statusCode()).isEqualTo(401);
    }

    @Test
    void theCookieIsSecureBehindTls() throws Exception {
        HttpRequest.Builder login = client.request("/login")
                .header("x-forwarded-proto", "https")
                .header("origin", client.root().replace("http:", "https:"))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"user\":\"ann\",\"password\":\"Ann's\"}"));
        assertThat(client.send(login).headers().firstValue("set-cookie").orElseThrow())
                .endsWith("; Secure");
        HttpRequest.Builder plain = client.request("/login")
                .header("x-forwarded-proto", "https")
                .header("origin", client.root())
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"user\":\"ann\",\"password\":\"Ann's\"}"));
        assertThat(client.send(plain).statusCode()).isEqualTo(403);
    }

    @Test
    void wrongPasswordsAreRefusedAndDelayed() throws Exception {
        String nobody = "nobody" + System.nanoTime();
        HttpResponse<String> wrong = client.login(nobody, "x");
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(text(wrong, "error", "code")).isEqualTo("28P01");
        assertThat(client.login("bob", "").statusCode()).isEqualTo(401);
        assertThat(client.login("bob", "Ann's").statusCode()).isEqualTo(401);
        long start = System.nanoTime();
        assertThat(client.login(nobody, "y").statusCode()).isEqualTo(401);
        assertThat(client.login(nobody, "z").statusCode()).isEqualTo(401);
        assertThat(System.nanoTime() - start).isGreaterThan(450_000_000L); // what is left of 250, and 500 ms
        // The wire's logins wait for the same failures.
        long wireStart = System.nanoTime();
        assertThatThrownBy(() -> wire(nobody, "x")).hasMessageContaining("password authentication failed");
        assertThat(System.nanoTime() - wireStart).isGreaterThan(800_000_000L);
        assertThat(client.login("bob", "Bob's").statusCode()).isEqualTo(200);
    }

    @Test
    void aChangedPasswordEndsLogins() throws Exception {
        loginAsAnn();
        Users before = users;
        try {
            users = before.with("ann", ScramVerifier.ofPassword("another"));
            assertThat(client.get("/api/session").statusCode()).isEqualTo(401);
        } finally {
            users = before;
        }
        assertThat(client.get("/api/session").statusCode()).isEqualTo(401);
    }

    // ---- looking

    @Test
    void status() throws Exception {
        loginAsAnn();
        HttpResponse<String> status = client.get("/api/status");
        assertThat(number(status, "workers")).isPositive();
        assertThat(number(status, "memoryLimit")).isPositive();
        assertThat(number(status, "maxSessions")).isEqualTo(100);
        assertThat(text(status, "devices", "0", "name")).isEqualTo("cpu");
    }

    @Test
    void usersSeeTheTablesThatTheyMayRead() throws Exception {
        loginAsAnn();
        HttpResponse<String> all = client.get("/api/tables");
        assertThat(all.body()).contains("\"days\"", "\"secrets\"");
        HttpResponse<String> days = client.get("/api/tables/public/days?database=quarrel");
        assertThat(number(days, "rows")).isEqualTo(2);
        assertThat(text(days, "columns", "0", "type")).isEqualTo("date");
        assertThat(at(days, "columns", "0", "isNullable")).isEqualTo(new JsonValue.Bool(false));
        assertThat(text(client.get("/api/tables/public/nix"), "error", "code")).isEqualTo("42P01");
        assertThat(text(client.get("/api/tables?database=nix"), "error", "code"))
                .isEqualTo("3D000");
        assertThat(client.get("/api/tables/public").statusCode()).isEqualTo(404);

        client.login("bob", "Bob's");
        assertThat(client.get("/api/tables").body()).contains("\"days\"").doesNotContain("secrets");
        assertThat(text(client.get("/api/tables/public/secrets"), "error", "code"))
                .isEqualTo("42501");
        HttpResponse<String> refused = client.run("select * from secrets");
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(text(refused, "error", "code")).isEqualTo("42501");
        assertThat(text(client.post("/api/explain", Json.object("text", "select * from secrets")), "error", "code"))
                .isEqualTo("42501");
    }

    // ---- statements

    @Test
    void rowsAreTextAsPostgresHasIt() throws Exception {
        loginAsAnn();
        HttpResponse<String> rows =
                client.run("select day, n, name, 1.50 as x, true as yes, current_user as me from days order by day;");
        assertThat(rows.statusCode()).isEqualTo(200);
        assertThat(rows.body())
                .contains("[[\"2024-01-01\",\"3\",\"<b>one</b>\",\"1.50\",\"t\",\"ann\"],"
                        + "[\"2024-01-02\",null,\"zwei\",\"1.50\",\"t\",\"ann\"]]")
                .contains("{\"name\":\"day\",\"type\":\"date\",\"kind\":\"time\"}")
                .contains("{\"name\":\"x\",\"type\":\"numeric\",\"kind\":\"number\"}");
        assertThat(text(rows, "tag")).isEqualTo("SELECT 2");
        assertThat(text(rows, "device")).isEqualTo("cpu");
        assertThat(text(client.run("show server_version"), "rows", "0", "0")).startsWith("18");
        assertThat(text(client.run("-- nothing"), "tag")).isEmpty();
    }

    @Test
    void rowsAreBounded() throws Exception {
        loginAsAnn();
        HttpResponse<String> some =
                client.post("/api/run", Json.object("text", "select generate_series(1, 5)", "limit", 3));
        assertThat(((JsonValue.Elements) at(some, "rows")).items()).hasSize(3);
        assertThat(at(some, "isCut")).isEqualTo(new JsonValue.Bool(true));
        HttpResponse<String> all =
                client.post("/api/run", Json.object("text", "select generate_series(1, 5)", "limit", 5));
        assertThat(at(all, "isCut")).isEqualTo(new JsonValue.Bool(false));
        HttpResponse<String> most =
                client.post("/api/run", Json.object("text", "select generate_series(1, 500000)", "limit", 1e18));
        assertThat(((JsonValue.Elements) at(most, "rows")).items()).hasSize(1000);
        HttpResponse<String> wide = client.run("select repeat('x', 100000)");
        assertThat(text(wide, "rows", "0", "0")).hasSize(4097).endsWith("x…");
        assertThat(at(wide, "isCut")).isEqualTo(new JsonValue.Bool(true));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "select 1 / 0 | 22012 | -1",
                "selec 1 | 42601 | 1",
                "select '\uD83D\uDE00', nix from days | 42703 | 13",
                "select 1; select 2 | 42601 | 11",
                "create table x (i int) | 25006 | -1",
                "delete from days | 25006 | -1",
                "declare c cursor for select 1 | 0A000 | -1",
                "copy days to stdout | 0A000 | -1",
                "select $1 | 42P02 | 8"
            })
    void errorsAreThoseOfTheServer(String text, String code, int position) throws Exception {
        loginAsAnn();
        HttpResponse<String> answer = client.run(text);
        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(text(answer, "error", "code")).isEqualTo(code);
        if (position > 0) {
            assertThat(number(answer, "error", "position")).isEqualTo(position);
        }
    }

    @Test
    void statementsEndInTime() throws Exception {
        loginAsAnn();
        HttpResponse<String> late =
                client.post("/api/run", Json.object("text", "select pg_sleep(60)", "timeoutMs", 300));
        assertThat(text(late, "error", "code")).isEqualTo("57014");
        assertThat(text(late, "error", "message")).contains("statement timeout");
    }

    @Test
    void plansAreTrees() throws Exception {
        loginAsAnn();
        String join = "select a.name, count(*) from days a join days b on a.day = b.day group by 1";
        HttpResponse<String> plan = client.post("/api/explain", Json.object("text", join, "analyze", true));
        assertThat(plan.statusCode()).isEqualTo(200);
        assertThat(text(plan, "plan", "name")).isEqualTo("Result");
        assertThat(text(plan, "plan", "inputs", "0", "name")).isEqualTo("HashAggregate");
        assertThat(text(plan, "plan", "inputs", "0", "device")).isEqualTo("cpu");
        assertThat(text(plan, "plan", "inputs", "0", "tier")).isNotEmpty();
        assertThat(number(plan, "plan", "inputs", "0", "rows")).isEqualTo(2);
        assertThat(text(plan, "plan", "inputs", "0", "inputs", "0", "name")).isEqualTo("Hash Join");
        assertThat(text(plan, "plan", "inputs", "0", "inputs", "0", "inputs", "1", "name"))
                .isEqualTo("Hash");
        assertThat(at(plan, "executionMs")).isInstanceOf(JsonValue.Number.class);
        HttpResponse<String> planned = client.post("/api/explain", Json.object("text", join));
        assertThat(at(planned, "executionMs")).isNull();
        assertThat(number(client.post("/api/explain", Json.object("text", "select nix")), "error", "position"))
                .isEqualTo(8);
        assertThat(text(client.post("/api/explain", Json.object("text", "select 1; select 2")), "error", "code"))
                .isEqualTo("42601");
    }

    @Test
    void usersSeeTheirOwnStatementsAlone() throws Exception {
        loginAsAnn();
        client.run("select 'of ann'");
        try (Connection wire = wire("ann", "Ann's");
                Statement statement = wire.createStatement()) {
            statement.execute("select 'ann at the wire'");
        }
        String past = client.get("/api/queries").body();
        assertThat(past).contains("of ann", "ann at the wire", "\"quarrel console\"");
        client.login("bob", "Bob's");
        client.run("select 'of bob', " + "1 + ".repeat(1500) + "1");
        HttpResponse<String> bobs = client.get("/api/queries");
        assertThat(bobs.body()).contains("of bob").doesNotContain("of ann", "ann at the wire");
        assertThat(at(bobs, "past", "0", "isCut")).isEqualTo(new JsonValue.Bool(true));
        assertThat(text(bobs, "past", "0", "text")).hasSize(StatementHistory.MOST_CHARS);
        assertThat(text(bobs, "past", "0", "outcome")).isEqualTo("ok");
    }

    @Test
    void usersCancelTheirOwnStatementsAlone() throws Exception {
        loginAsAnn();
        ConsoleClient bob = new ConsoleClient(server.httpAddress());
        bob.login("bob", "Bob's");
        try (bob) {
            CompletableFuture<HttpResponse<String>> slow = CompletableFuture.supplyAsync(() -> {
                try {
                    return client.run("select pg_sleep(50)");
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                }
            });
            HttpResponse<String> seen = client.get("/api/queries");
            while (((JsonValue.Elements) at(seen, "running")).items().isEmpty()) {
                Thread.sleep(20);
                seen = client.get("/api/queries");
            }
            assertThat(text(seen, "running", "0", "text")).isEqualTo("select pg_sleep(50)");
            long pid = number(seen, "running", "0", "pid");
            assertThat(((JsonValue.Elements) at(bob.get("/api/queries"), "running")).items())
                    .isEmpty();
            assertThat(bob.post("/api/cancel", Json.object("pid", pid)).statusCode())
                    .isEqualTo(404);
            assertThat(slow).isNotDone();
            assertThat(client.post("/api/cancel", Json.object("pid", pid)).statusCode())
                    .isEqualTo(200);
            assertThat(text(slow.get(), "error", "code")).isEqualTo("57014");
        }
    }

    @Test
    void whoLeavesStopsWhatTheyAsked() throws Exception {
        loginAsAnn();
        byte[] body = Json.bytes(Json.object("text", "select pg_sleep(55)"));
        try (Socket socket = new Socket(
                server.httpAddress().getAddress(), server.httpAddress().getPort())) {
            String root = client.root();
            socket.getOutputStream()
                    .write(("POST /console/api/run HTTP/1.1\r\nHost: " + root.substring("http://".length())
                                    + "\r\nOrigin: " + root + "\r\nCookie: " + client.cookie()
                                    + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            while (!client.get("/api/queries").body().contains("pg_sleep(55)")) {
                Thread.sleep(20);
            }
        }
        HttpResponse<String> after = client.get("/api/queries");
        while (!((JsonValue.Elements) at(after, "running")).items().isEmpty()) {
            Thread.sleep(20);
            after = client.get("/api/queries");
        }
        assertThat(text(after, "past", "0", "error")).isIn("08006", "57014");
    }

    // ---- other servers

    @Test
    void withoutUsersAnyNameWillDoUnlessItComesByAProxy() throws Exception {
        try (Server trusting = Server.start(
                        engine,
                        ServerConfig.defaults()
                                .with(ServerSetting.PORT, 0)
                                .with(ServerSetting.HTTP, "0")
                                .with(ServerSetting.CONSOLE, "on"));
                ConsoleClient anybody = new ConsoleClient(trusting.httpAddress())) {
            assertThat(at(anybody.get("/api/session"), "needsPassword")).isEqualTo(new JsonValue.Bool(false));
            assertThat(anybody.send(anybody.posting("/login", Json.object("user", "eve"))
                                    .header("x-forwarded-for", "192.0.2.1"))
                            .statusCode())
                    .isEqualTo(403);
            assertThat(anybody.login("eve", "").statusCode()).isEqualTo(200);
            assertThat(text(anybody.run("select current_user"), "rows", "0", "0"))
                    .isEqualTo("eve");
        }
    }

    @Test
    void itIsOffUnlessSaid() throws Exception {
        try (Server quiet = Server.start(
                        engine,
                        ServerConfig.defaults().with(ServerSetting.PORT, 0).with(ServerSetting.HTTP, "0"));
                ConsoleClient anybody = new ConsoleClient(quiet.httpAddress())) {
            assertThat(anybody.get("").statusCode()).isEqualTo(404);
            assertThat(anybody.post("/login", Json.object("user", "eve")).statusCode())
                    .isEqualTo(400);
        }
        assertThatThrownBy(() -> Server.start(
                        engine,
                        ServerConfig.defaults().with(ServerSetting.PORT, 0).with(ServerSetting.CONSOLE, "on")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs http");
    }

    @Test
    void sessionsCountAgainstTheirBound() throws Exception {
        try (Server small = Server.start(
                        engine,
                        ServerConfig.defaults()
                                .with(ServerSetting.PORT, 0)
                                .with(ServerSetting.HTTP, "0")
                                .with(ServerSetting.CONSOLE, "on")
                                .with(ServerSetting.MAX_CONNECTIONS, 1));
                ConsoleClient anybody = new ConsoleClient(small.httpAddress());
                Connection _ = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + small.address().getPort() + "/quarrel?user=ann")) {
            anybody.login("ann", "");
            HttpResponse<String> refused = anybody.run("select 1");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(text(refused, "error", "code")).isEqualTo("53300");
            assertThat(anybody.get("/api/status").statusCode()).isEqualTo(200);
        }
    }
}
