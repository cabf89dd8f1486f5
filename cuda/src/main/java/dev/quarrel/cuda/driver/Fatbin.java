package dev.quarrel.cuda.driver;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Kernels compiled for every kind of device, as the build left them.
///
/// @param name of the source, without `.cu`
public record Fatbin(String name, byte[] content) {
    /// One of the build's, by name; empty where the build has none of it.
    public static Optional<Fatbin> find(String name) {
        try (InputStream resource = Fatbin.class.getResourceAsStream("/dev/quarrel/cuda/fatbin/" + name + ".fatbin")) {
            return resource == null ? Optional.empty() : Optional.of(new Fatbin(name, resource.readAllBytes()));
        } catch (IOException unreadable) {
            throw new IllegalStateException("reading " + name + ".fatbin", unreadable);
        }
    }
}
