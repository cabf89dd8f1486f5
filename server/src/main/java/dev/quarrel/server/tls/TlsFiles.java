package dev.quarrel.server.tls;

import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/// Where a server's certificate and key are, and whom its clients' certificates are signed by.
///
/// @param clientCa null where clients need no certificate
/// @param minVersion 1.2 or 1.3
record TlsFiles(Path certificate, Path key, Path clientCa, String minVersion) {
    /// - Errors: `IllegalArgumentException` naming the setting that is missing.
    static TlsFiles of(ServerConfig config) {
        String ca = config.text(ServerSetting.TLS_CLIENT_CA);
        return new TlsFiles(
                required(config, ServerSetting.TLS_CERT),
                required(config, ServerSetting.TLS_KEY),
                ca.isEmpty() ? null : Path.of(ca),
                config.text(ServerSetting.TLS_MIN_VERSION));
    }

    private static Path required(ServerConfig config, ServerSetting setting) {
        String file = config.text(setting);
        if (file.isEmpty()) {
            throw new IllegalArgumentException("TLS needs " + setting.settingName() + ": " + setting.description());
        }
        return Path.of(file);
    }

    /// The protocol versions that are spoken.
    List<String> protocols() {
        return minVersion.equals("1.3") ? List.of("TLSv1.3") : List.of("TLSv1.3", "TLSv1.2");
    }

    /// What differs once a file was written or replaced; files that are not there count as such.
    List<Object> state() {
        List<Object> state = new ArrayList<>();
        for (Path file : clientCa == null ? List.of(certificate, key) : List.of(certificate, key, clientCa)) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                state.add(attributes.lastModifiedTime());
                state.add(attributes.size());
                state.add(String.valueOf(attributes.fileKey()));
            } catch (IOException _) {
                state.add("not there");
            }
        }
        return state;
    }
}
