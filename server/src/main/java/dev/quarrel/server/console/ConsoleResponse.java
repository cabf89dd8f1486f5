package dev.quarrel.server.console;

import java.util.Map;

/// An answer of the console.
///
/// @param headers beside the content's type and length
public record ConsoleResponse(int status, String type, Map<String, String> headers, byte[] body) {
    /// On all answers. Pages load nothing that is not the server's, run no script and use no style of their own text,
    /// and stand in nobody's frame.
    private static final Map<String, String> SAFETY = Map.of(
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
            "referrer-policy",
            "no-referrer",
            "cross-origin-opener-policy",
            "same-origin",
            "cross-origin-resource-policy",
            "same-origin");

    static ConsoleResponse page(String type, byte[] body) {
        return new ConsoleResponse(200, type, SAFETY, body);
    }

    static ConsoleResponse json(int status, Object value) {
        return new ConsoleResponse(status, "application/json", SAFETY, Json.bytes(value));
    }

    /// A refusal that is not a statement's.
    static ConsoleResponse refused(int status, String message) {
        return json(status, Json.object("error", Json.object("message", message)));
    }

    ConsoleResponse with(String header, String value) {
        Map<String, String> more = new java.util.TreeMap<>(headers);
        more.put(header, value);
        return new ConsoleResponse(status, type, more, body);
    }

    /// For a body that is larger than any that is read.
    public static ConsoleResponse tooLarge() {
        return refused(413, "a request has " + ConsoleRequest.MAX_BODY_BYTES + " bytes at most");
    }

    /// For what went wrong in the server.
    public static ConsoleResponse failed() {
        return refused(500, "internal error: the server's log has it");
    }

    /// Before the server has opened its data.
    public static ConsoleResponse starting() {
        return refused(503, "the server is starting");
    }
}
