package dev.quarrel.server.console;

import dev.quarrel.core.json.JsonValue;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/// What a page asks, as a browser would ask it.
final class ConsoleClient implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final String root;
    private String cookie = "";

    ConsoleClient(InetSocketAddress address) {
        root = "http://127.0.0.1:" + address.getPort();
    }

    String root() {
        return root;
    }

    void cookie(String newCookie) {
        cookie = newCookie;
    }

    String cookie() {
        return cookie;
    }

    /// A request with the cookie, and of this host where it is a POST.
    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(root + "/console" + path)).timeout(Duration.ofSeconds(60));
        return cookie.isEmpty() ? request : request.header("cookie", "other=1; " + cookie);
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path));
    }

    HttpRequest.Builder posting(String path, Object body) {
        return request(path)
                .header("origin", root)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)));
    }

    HttpResponse<String> post(String path, Object body) throws IOException, InterruptedException {
        return send(posting(path, body));
    }

    HttpResponse<String> login(String user, String password) throws IOException, InterruptedException {
        HttpResponse<String> answer = post("/login", Json.object("user", user, "password", password));
        answer.headers().firstValue("set-cookie").ifPresent(set -> cookie = set.split(";", 2)[0]);
        return answer;
    }

    HttpResponse<String> run(String text) throws IOException, InterruptedException {
        return post("/api/run", Json.object("text", text));
    }

    static Map<String, JsonValue> members(HttpResponse<String> answer) {
        return ((JsonValue.Members) JsonValue.read(answer.body())).items();
    }

    /// A value below an answer's members.
    static JsonValue at(HttpResponse<String> answer, String... names) {
        JsonValue value = JsonValue.read(answer.body());
        for (String name : names) {
            value = value instanceof JsonValue.Elements(var items)
                    ? items.get(Integer.parseInt(name))
                    : ((JsonValue.Members) value).items().get(name);
        }
        return value;
    }

    static String text(HttpResponse<String> answer, String... names) {
        return at(answer, names) instanceof JsonValue.Text(String value) ? value : null;
    }

    static long number(HttpResponse<String> answer, String... names) {
        return ((JsonValue.Number) at(answer, names)).value().longValue();
    }

    @Override
    public void close() {
        http.close();
    }
}
