package dev.quarrel.server.console;

import dev.quarrel.calcite.Engine;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.session.Connection;
import dev.quarrel.server.session.DirectSession;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The web console: which requests are answered, and to whom.
///
/// - It answers this machine alone, since the port knows no TLS: who comes from elsewhere comes by a proxy or a tunnel
///   that ends here.
/// - All but its pages needs a login of one of the server's users, whose token is in a cookie that scripts cannot read
///   and other sites' pages do not send.
/// - What does anything is POST, with JSON, from a page of this very host.
/// - Threads: share it; it answers at once, or later by a thread of the sessions'.
public final class Console {
    private static final Logger LOG = LoggerFactory.getLogger(Console.class);
    /// Requests that are being worked on; the next one is told to come again.
    private static final int MOST_AT_WORK = 32;
    private static final int MOST_OF_LOGIN = 8192;
    private static final int MOST_OF_NAME = 128;
    private static final int MOST_OF_PASSWORD = 1024;
    private static final String ROOT = "/console/";
    private static final String API = "/console/api/";
    private static final String TABLES = API + "tables/";
    private static final String COOKIE = "quarrel_console_";
    private static final Set<String> GETS = Set.of(API + "session", API + "status", API + "queries", API + "tables");
    private static final Set<String> POSTS =
            Set.of(ROOT + "login", ROOT + "logout", API + "run", API + "explain", API + "cancel");
    /// What a page asks by itself, every two seconds.
    private static final Set<String> POLLED = Set.of(API + "status", API + "queries");

    private final Connection.Shared shared;
    private final List<String> databases;
    private final ScheduledExecutorService timer;
    private final ConsolePages pages = new ConsolePages();
    private final ConsoleLogins logins = new ConsoleLogins(System::nanoTime);
    private final Semaphore atWork = new Semaphore(MOST_AT_WORK);
    private final ConsoleApi api;

    /// @param first the engine that has what all of them share
    /// @param databases their names, the first of which is meant where none is said
    public Console(
            Connection.Shared shared,
            Engine first,
            Set<String> databases,
            ScheduledExecutorService timer,
            StatementHistory history) {
        this.shared = shared;
        this.databases = List.copyOf(databases);
        this.timer = timer;
        this.api = new ConsoleApi(shared, first, timer, history);
    }

    /// Whether a path is the console's.
    public static boolean isHere(String path) {
        return path.equals("/console") || path.startsWith(ROOT);
    }

    public CompletableFuture<ConsoleResponse> answer(ConsoleRequest request) {
        ConsoleResponse refusal = refusal(request);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConsoleResponse page = pages.at(request.path());
        if (page != null) {
            return CompletableFuture.completedFuture(page);
        }
        if (request.path().equals(ROOT + "login")) {
            return login(request);
        }
        Users users = shared.config().users();
        String token = token(request);
        String user = logins.user(users, token, !POLLED.contains(request.path()));
        if (user == null) {
            return CompletableFuture.completedFuture(ConsoleResponse.json(
                    401,
                    Json.object("error", Json.object("message", "log in first"), "needsPassword", !users.isEmpty())));
        }
        return later(() -> answer(request, user, token));
    }

    // ---- what is refused to everybody

    private ConsoleResponse refusal(ConsoleRequest request) {
        if (!request.client().getAddress().isLoopbackAddress()) {
            return ConsoleResponse.refused(
                    403,
                    "the console answers this machine alone: use a tunnel (ssh -L), or a proxy here that speaks TLS");
        }
        boolean isPage = pages.at(request.path()) != null;
        boolean isGet = GETS.contains(request.path()) || request.path().startsWith(TABLES);
        boolean isPost = POSTS.contains(request.path());
        if (!isPage && !isGet && !isPost) {
            return ConsoleResponse.refused(404, "there is nothing here");
        }
        boolean isRightMethod = isPost
                ? request.method().equals("POST")
                : request.method().equals("GET") || isPage && request.method().equals("HEAD");
        if (!isRightMethod) {
            return ConsoleResponse.refused(405, isPost ? "POST only" : "GET only")
                    .with("allow", isPost ? "POST" : isPage ? "GET, HEAD" : "GET");
        }
        String site = request.header("sec-fetch-site");
        if (isPost && !isOfThisHost(request, site)) {
            return ConsoleResponse.refused(403, "this was asked by a page of another host");
        }
        if (isPost
                && !request.header("content-type")
                        .toLowerCase(Locale.ROOT)
                        .split(";", 2)[0]
                        .strip()
                        .equals("application/json")) {
            return ConsoleResponse.refused(415, "requests are JSON, with content-type: application/json");
        }
        boolean isElsewhere = site.equals("cross-site") || site.equals("same-site");
        return isGet && isElsewhere ? ConsoleResponse.refused(403, "this was asked by a page of another host") : null;
    }

    /// Whether the page that asks is ours, by what the browser says of it.
    private static boolean isOfThisHost(ConsoleRequest request, String site) {
        if (!site.isEmpty() && !site.equals("same-origin")) {
            return false;
        }
        String origin = request.header("origin").toLowerCase(Locale.ROOT);
        String host = request.header("host").toLowerCase(Locale.ROOT);
        if (origin.isEmpty()) {
            return site.equals("same-origin");
        }
        // Behind a proxy that speaks TLS the page's scheme is the proxy's.
        return !host.isEmpty()
                && (origin.equals("https://" + host) || origin.equals("http://" + host) && !request.isSecure());
    }

    // ---- logins

    private CompletableFuture<ConsoleResponse> login(ConsoleRequest request) {
        if (request.body().length > MOST_OF_LOGIN) {
            return CompletableFuture.completedFuture(ConsoleResponse.refused(413, "a login is short"));
        }
        Map<String, JsonValue> asked = Json.members(request.body());
        String user = Json.text(asked, "user");
        String password = Json.text(asked, "password");
        if (user.isEmpty() || user.length() > MOST_OF_NAME || password.length() > MOST_OF_PASSWORD) {
            return CompletableFuture.completedFuture(ConsoleResponse.refused(400, "a login has a user's name"));
        }
        Users users = shared.config().users();
        if (users.isEmpty()) {
            return CompletableFuture.completedFuture(
                    request.isForwarded()
                            ? ConsoleResponse.refused(
                                    403, "without users the console answers no proxy: define users in a users file")
                            : loggedIn(request, users, user));
        }
        InetAddress address = request.client().getAddress();
        long wait = shared.failedLogins().waitMillis(address, user);
        CompletableFuture<ConsoleResponse> answer = new CompletableFuture<>();
        timer.schedule(
                () -> {
                    if (!request.gone().isCancelled()) {
                        later(() -> checked(request, users, user, password)).thenAccept(answer::complete);
                    }
                },
                wait,
                TimeUnit.MILLISECONDS);
        return answer;
    }

    private ConsoleResponse checked(ConsoleRequest request, Users users, String user, String password) {
        InetAddress address = request.client().getAddress();
        if (!users.accepts(user, password)) {
            shared.failedLogins().failed(address, user);
            LOG.info("console.login_failed address={}", address.getHostAddress());
            return ConsoleResponse.json(
                    401,
                    Json.object(
                            "error",
                            Json.object(
                                    "code",
                                    "28P01",
                                    "message",
                                    "password authentication failed for user \"" + user + "\"")));
        }
        shared.failedLogins().succeeded(address, user);
        return loggedIn(request, users, user);
    }

    private ConsoleResponse loggedIn(ConsoleRequest request, Users users, String user) {
        String token = logins.begin(users, user);
        return ConsoleResponse.json(200, session(user)).with("set-cookie", cookie(request, token));
    }

    private Map<String, Object> session(String user) {
        return Json.object("user", user, "databases", databases);
    }

    /// Browsers tell cookies apart by host and path, not by port.
    private static String cookieName(ConsoleRequest request) {
        return COOKIE + request.server().getPort();
    }

    /// @param token empty to take it back
    private static String cookie(ConsoleRequest request, String token) {
        return cookieName(request) + "=" + token + "; Path=/console; HttpOnly; SameSite=Strict"
                + (request.isSecure() ? "; Secure" : "")
                + (token.isEmpty() ? "; Max-Age=0" : "");
    }

    private static String token(ConsoleRequest request) {
        String start = cookieName(request) + "=";
        for (String cookie : request.header("cookie").split("[;,]")) {
            if (cookie.strip().startsWith(start)) {
                return cookie.strip().substring(start.length());
            }
        }
        return "";
    }

    // ---- what is answered to who is logged in

    private ConsoleResponse answer(ConsoleRequest request, String user, String token) {
        Map<String, JsonValue> asked = request.method().equals("POST") ? Json.members(request.body()) : Map.of();
        return switch (request.path()) {
            case ROOT + "logout" -> {
                logins.end(token);
                yield ConsoleResponse.json(200, Json.object()).with("set-cookie", cookie(request, ""));
            }
            case API + "session" -> ConsoleResponse.json(200, session(user));
            case API + "status" -> api.status();
            case API + "queries" -> api.queries(user);
            case API + "tables" -> api.tables(request, client(request, user, database(request)));
            case API + "run" -> api.run(request, client(request, user, Json.text(asked, "database")), asked);
            case API + "explain" -> api.explain(request, client(request, user, Json.text(asked, "database")), asked);
            case API + "cancel" -> api.cancel(user, asked);
            default -> table(request, user);
        };
    }

    private ConsoleResponse table(ConsoleRequest request, String user) {
        String[] names = request.path().substring(TABLES.length()).split("/", -1);
        if (names.length != 2) {
            return ConsoleResponse.refused(404, "a table is SCHEMA/NAME");
        }
        return api.table(request, client(request, user, database(request)), decoded(names[0]), decoded(names[1]));
    }

    private static DirectSession.Client client(ConsoleRequest request, String user, String database) {
        return new DirectSession.Client(user, database, ConsoleApi.APPLICATION, request.client(), request.server());
    }

    private static String database(ConsoleRequest request) {
        for (String parameter : request.query().split("&")) {
            if (parameter.startsWith("database=")) {
                return decoded(parameter.substring("database=".length()));
            }
        }
        return "";
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return text; // the name of nothing
        }
    }

    /// Does work on a session's thread.
    private CompletableFuture<ConsoleResponse> later(Supplier<ConsoleResponse> work) {
        if (!atWork.tryAcquire()) {
            return CompletableFuture.completedFuture(
                    ConsoleResponse.refused(503, "the console has too much to do; try again"));
        }
        CompletableFuture<ConsoleResponse> answer = new CompletableFuture<>();
        try {
            shared.executor().execute(() -> {
                try {
                    answer.complete(work.get());
                } catch (RuntimeException | Error bug) {
                    LOG.error("console.bug", bug);
                    answer.complete(ConsoleResponse.failed());
                } finally {
                    atWork.release();
                }
            });
        } catch (RejectedExecutionException stopping) {
            atWork.release();
            answer.complete(ConsoleResponse.refused(503, "the server is shutting down"));
        }
        return answer;
    }
}
