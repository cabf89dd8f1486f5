package dev.quarrel.server.http;

import dev.quarrel.server.console.Console;
import dev.quarrel.server.console.ConsoleRequest;
import dev.quarrel.server.console.ConsoleResponse;
import java.util.concurrent.CompletableFuture;

/// The way to the console, which opens when the server has.
///
/// Threads share it.
final class ConsoleDoor {
    private final boolean isThere;
    private volatile Console console;

    /// @param isThere whether there is a console at all
    ConsoleDoor(boolean isThere) {
        this.isThere = isThere;
    }

    void open(Console newConsole) {
        console = newConsole;
    }

    boolean leadsTo(String path) {
        return isThere && Console.isHere(path);
    }

    CompletableFuture<ConsoleResponse> answer(ConsoleRequest request) {
        Console open = console;
        return open == null ? CompletableFuture.completedFuture(ConsoleResponse.starting()) : open.answer(request);
    }
}
