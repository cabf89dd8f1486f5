package dev.quarrel.cuda.driver;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Kernels compiled for every kind of device, as the build left them.
///
/// @param name of the source, without `.cu`
public record Fatbin(String name, byte[] content) {
    /// Whether the build has one of that name: cheaper than to read it.
    public static boolean exists(String name) {
        return Fatbin.class.getResource(resource(name)) != null;
    }

    private static String resource(String name) {
        return "/dev/quarrel/cuda/fatbin/" + name + ".fatbin";
    }

    /// One of the build's, by name; empty where the build has none of it.
    public static Optional<Fatbin> find(String name) {
        try (InputStream resource = Fatbin.class.getResourceAsStream(resource(name))) {
            return resource == null ? Optional.empty() : Optional.of(new Fatbin(name, resource.readAllBytes()));
        } catch (IOException unreadable) {
            throw new IllegalStateException("reading " + name + ".fatbin", unreadable);
        }
    }
}
