package dev.quarrel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/// A server of this machine that is measured.
record Target(int port, String user, String database) {
    /// The server that a process starts on a free port; its ready line says which.
    static Target quarrel(Process server) throws IOException {
        return new Target(port(server), "bench", "quarrel");
    }

    static Target postgres(EmbeddedPostgres server) {
        return new Target(server.getPort(), "postgres", "postgres");
    }

    WireClient connect() throws IOException {
        return new WireClient(port, user, database);
    }

    private static int port(Process server) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int place = line.indexOf("127.0.0.1:");
            if (place >= 0) {
                Thread.ofPlatform().daemon().start(() -> drain(lines));
                return Integer.parseInt(line.substring(place + 10).replaceFirst("\\D.*", ""));
            }
        }
        throw new IOException("the server did not start");
    }

    /// Reads what the server says until it ends.
    private static void drain(BufferedReader lines) {
        try {
            while (lines.readLine() != null) {
                // its pipe must not fill
            }
        } catch (IOException _) {
            // it was stopped
        }
    }
}
