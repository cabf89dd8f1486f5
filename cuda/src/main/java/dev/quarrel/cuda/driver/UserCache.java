package dev.quarrel.cuda.driver;

import java.nio.file.Path;

/// The folder in which this user keeps files that can be made again.
public final class UserCache {
    private UserCache() {}

    /// A folder of Quarrel's in it, which may not exist yet.
    public static Path folder(String name) {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path base = cache != null && cache.startsWith("/")
                ? Path.of(cache)
                : Path.of(System.getProperty("user.home"), ".cache");
        return base.resolve("quarrel").resolve(name);
    }
}
