package dev.quarrel.server.console;

import dev.quarrel.core.json.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A page in a headless Chromium, by its DevTools protocol.
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final BlockingQueue<Map<String, JsonValue>> answers = new LinkedBlockingQueue<>();
    private final List<String> complaints = new ArrayList<>();
    private int commands;

    /// The program, or null where there is none.
    static Path program() {
        return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /// @param folder for what it writes
    Browser(Path program, Path folder) throws IOException, InterruptedException {
        process = new ProcessBuilder(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox", // tests may run as root, and the pages are our own
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + folder.resolve("profile"),
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("browser.log").toFile())
                .start();
        Path port = folder.resolve("profile/DevToolsActivePort");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(port) || Files.readAllLines(port).isEmpty()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new IOException("no browser: " + Files.readString(folder.resolve("browser.log")));
            }
            Thread.sleep(50);
        }
        String root = "http://127.0.0.1:" + Files.readAllLines(port).getFirst();
        HttpResponse<String> page = http.send(
                HttpRequest.newBuilder(URI.create(root + "/json/new?about:blank"))
                        .PUT(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        String address = ConsoleClient.text(page, "webSocketDebuggerUrl");
        socket = http.newWebSocketBuilder()
                .buildAsync(URI.create(address), new Listener())
                .join();
        command("Page.enable", Map.of());
        command("Runtime.enable", Map.of());
        command("Log.enable", Map.of());
    }

    /// Takes messages apart: answers of commands, and what the page complains of.
    private final class Listener implements WebSocket.Listener {
        private final StringBuilder message = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean isLast) {
            message.append(text);
            if (isLast) {
                Map<String, JsonValue> members = ((JsonValue.Members) JsonValue.read(message.toString())).items();
                String method = Json.text(members, "method");
                if (members.containsKey("id")) {
                    answers.add(members);
                } else if (method.equals("Log.entryAdded") || method.equals("Runtime.exceptionThrown")) {
                    synchronized (complaints) {
                        complaints.add(message.toString());
                    }
                }
                message.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedStage(null);
        }
    }

    /// What the browser has logged, and scripts have thrown.
    List<String> complaints() {
        synchronized (complaints) {
            return List.copyOf(complaints);
        }
    }

    private JsonValue command(String method, Map<String, Object> parameters) throws IOException, InterruptedException {
        commands++;
        String text = new String(
                Json.bytes(Json.object("id", commands, "method", method, "params", parameters)),
                StandardCharsets.UTF_8);
        socket.sendText(text, true).join();
        Map<String, JsonValue> answer = answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (answer == null || answer.containsKey("error")) {
            throw new IOException(method + ": " + answer);
        }
        return answer.get("result");
    }

    void size(int width, int height, boolean isDark) throws IOException, InterruptedException {
        command(
                "Emulation.setDeviceMetricsOverride",
                Json.object("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
        command(
                "Emulation.setEmulatedMedia",
                Json.object(
                        "features",
                        List.of(Json.object("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
    }

    void open(String address) throws IOException, InterruptedException {
        command("Page.navigate", Map.of("url", address));
        await("location.href.startsWith('" + address + "') && document.readyState === 'complete'");
    }

    /// The value of an expression of the page, as text.
    String value(String expression) throws IOException, InterruptedException {
        JsonValue result = command(
                "Runtime.evaluate",
                Json.object("expression", "String(" + expression + ")", "returnByValue", true, "userGesture", true));
        Map<String, JsonValue> members = ((JsonValue.Members) result).items();
        if (members.containsKey("exceptionDetails")) {
            throw new IOException(expression + ": " + members.get("exceptionDetails"));
        }
        return Json.text(((JsonValue.Members) members.get("result")).items(), "value");
    }

    /// Waits until an expression is true.
    void await(String expression) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!value(expression).equals("true")) {
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "never true: " + expression + "; the page says " + value("document.body.innerText"));
            }
            Thread.sleep(30);
        }
    }

    /// Puts the cursor into a field and types over what is there.
    void type(String field, String text) throws IOException, InterruptedException {
        value("(document.querySelector('" + field + "').focus(), document.querySelector('" + field + "').select())");
        command("Input.insertText", Map.of("text", text));
    }

    void click(String element) throws IOException, InterruptedException {
        value("document.querySelector('" + element + "').click()");
    }

    /// Presses a key.
    ///
    /// @param modifiers 2 for the control key
    void press(String key, int code, int modifiers) throws IOException, InterruptedException {
        for (String type : List.of("rawKeyDown", "keyUp")) {
            command(
                    "Input.dispatchKeyEvent",
                    Json.object(
                            "type",
                            type,
                            "key",
                            key,
                            "code",
                            key,
                            "windowsVirtualKeyCode",
                            code,
                            "modifiers",
                            modifiers));
        }
    }

    void screenshot(Path file) throws IOException, InterruptedException {
        JsonValue shot = command("Page.captureScreenshot", Map.of("format", "png"));
        Files.write(file, Base64.getDecoder().decode(Json.text(((JsonValue.Members) shot).items(), "data")));
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
