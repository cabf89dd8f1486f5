package dev.quarrel.cuda.driver;

import dev.quarrel.core.file.FileOwner;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import jcuda.driver.JCudaDriver;

/// JCuda's native library, unpacked where only this user can have put it.
///
/// JCuda itself would load a file of a known name from the system's temporary folder, whoever wrote it there.
final class JCudaNatives {
    private static final String NAME = "libJCudaDriver-12.6.0-linux-x86_64.so";
    private static final String PRIVATE = "rwx------";
    private static boolean loaded;

    private JCudaNatives() {}

    /// Loads JCuda, once a process. The driver's library must be there: without it JCuda would never load in
    /// this process.
    static synchronized void load() {
        if (loaded) {
            return;
        }
        byte[] library = library();
        Path folder = unpacked(library, UserCache.folder("natives"));
        // JCuda asks for this property each time; the JDK has read it long ago. It finds the file there and loads it.
        String temporary = System.getProperty("java.io.tmpdir");
        System.setProperty("java.io.tmpdir", folder.toString());
        try {
            JCudaDriver.setExceptionsEnabled(false);
        } finally {
            System.setProperty("java.io.tmpdir", temporary);
        }
        loaded = true;
    }

    private static byte[] library() {
        try (InputStream resource = JCudaDriver.class.getResourceAsStream("/lib/" + NAME)) {
            if (resource == null) {
                throw new IllegalStateException("this build lacks JCuda's native library " + NAME);
            }
            return resource.readAllBytes();
        } catch (IOException unreadable) {
            throw new IllegalStateException("reading " + NAME, unreadable);
        }
    }

    /// The folder with the library in it: named by its content, the user's own and nobody else's. Where no
    /// such folder can be in `cache`, a temporary one.
    static Path unpacked(byte[] library, Path cache) {
        try {
            try {
                Files.createDirectories(cache);
                if (FileOwner.isOurs(cache) && !FileOwner.isPrivate(cache)) {
                    // Who may write there could put another folder in ours' place, after it was looked at.
                    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString(PRIVATE));
                }
                Path folder = cache.resolve(sha256(library));
                if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                    // As a whole or not at all, whoever else does the same.
                    Path made = Files.createTempDirectory(cache, "unpacking");
                    write(library, made);
                    try {
                        Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE);
                    } catch (IOException _) {
                        delete(made); // another process was first
                    }
                }
                if (FileOwner.isPrivate(cache)
                        && isOurs(folder)
                        && Arrays.equals(Files.readAllBytes(folder.resolve(NAME)), library)) {
                    return folder;
                }
            } catch (IOException _) {
                // No home, a read-only one, or a file that somebody damaged: a folder of this process does as well.
            }
            Path folder = Files.createTempDirectory("quarrel-natives"); // mode 700, by its contract
            write(library, folder);
            folder.toFile().deleteOnExit();
            folder.resolve(NAME).toFile().deleteOnExit();
            return folder;
        } catch (IOException failed) {
            throw new IllegalStateException("unpacking " + NAME, failed);
        }
    }

    private static void write(byte[] library, Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(PRIVATE));
        Path file = folder.resolve(NAME);
        Files.write(file, library);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-x------"));
    }

    private static boolean isOurs(Path folder) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return attributes.isDirectory()
                && attributes.owner().equals(FileOwner.current())
                && attributes.permissions().equals(PosixFilePermissions.fromString(PRIVATE));
    }

    private static void delete(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(NAME));
        Files.deleteIfExists(folder);
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
