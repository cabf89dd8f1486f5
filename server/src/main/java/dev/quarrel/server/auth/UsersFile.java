package dev.quarrel.server.auth;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A users file in use: its users as they were last read, and read again when it has changed. A change that cannot be
/// read leaves the users as they were, and the log says so.
///
/// - Threads: any.
public final class UsersFile implements Supplier<Users> {
    private static final Logger LOG = LoggerFactory.getLogger(UsersFile.class);
    private static final long CHECK_NANOS = 1_000_000_000L;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final Path file;
    private Users users;
    private String state;
    private long checked = System.nanoTime();

    private UsersFile(Path file, String state, Users users) {
        this.file = file;
        this.state = state;
        this.users = users;
    }

    /// - Errors: [IOException] where it cannot be read; [IllegalArgumentException] naming file and line, and for a file
    ///   without any user.
    public static UsersFile open(Path file) throws IOException {
        String state = state(file);
        Users users = readSome(file);
        FileModes.warnOfOthers(file, "users");
        return new UsersFile(file, state, users);
    }

    private static Users readSome(Path file) throws IOException {
        Users users = Users.read(file);
        if (users.isEmpty()) {
            throw new IllegalArgumentException("the users file " + file + " defines no user");
        }
        return users;
    }

    private static String state(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return attributes.lastModifiedTime() + " " + attributes.size() + " " + attributes.fileKey();
    }

    @Override
    public synchronized Users get() {
        long now = System.nanoTime();
        if (now - checked < CHECK_NANOS) {
            return users;
        }
        checked = now;
        String before = state;
        try {
            state = state(file);
            if (!state.equals(before)) {
                users = readSome(file);
                LOG.info(
                        "server.users.reloaded file={} users={}",
                        file,
                        users.names().size());
            }
        } catch (IOException | IllegalArgumentException unusable) {
            if (!unusable.toString().equals(state)) {
                LOG.warn(
                        "server.users.unusable the users that were read before stay: {}",
                        unusable instanceof IOException ? unusable.toString() : unusable.getMessage());
            }
            if (unusable instanceof IOException) {
                state = unusable.toString(); // told once
            }
        }
        return users;
    }

    /// Whether there is a line of that user; no other line is looked at.
    public static boolean has(Path file, String name) throws IOException {
        return Files.exists(file) && indexOf(Files.readAllLines(file), name) >= 0;
    }

    /// Writes the line of a user, in place of the one there was or at the end; other lines stay as they are. The file
    /// is made where it is missing, and is its owner's alone.
    ///
    /// - Errors: [IllegalArgumentException] for a name that cannot be, and as [Users#read]; [IOException].
    public static void put(Path file, String name, ScramVerifier verifier) throws IOException {
        UserName.checked(name);
        rewrite(file, lines -> {
            String line = name + ":" + verifier;
            int place = indexOf(lines, name);
            if (place < 0) {
                lines.add(line);
            } else {
                lines.set(place, line);
            }
        });
    }

    /// Takes the line of a user out.
    ///
    /// - Errors: [IllegalArgumentException] where there is no such user, or another line names it; [IOException]
    ///   where there is no file.
    public static void remove(Path file, String name) throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        rewrite(file, lines -> {
            int place = indexOf(lines, name);
            if (place < 0) {
                throw new IllegalArgumentException("there is no user " + name + " in " + file);
            }
            lines.remove(place);
            try {
                Users.parse(file.toString(), lines);
            } catch (IllegalArgumentException stillNamed) {
                throw new IllegalArgumentException(
                        name + " cannot be dropped yet: " + stillNamed.getMessage(), stillNamed);
            }
        });
    }

    private static int indexOf(List<String> lines, String name) {
        for (int index = 0; index < lines.size(); index++) {
            if (lines.get(index).strip().startsWith(name + Users.VERIFIER_START)) {
                return index;
            }
        }
        return -1;
    }

    private interface Change {
        void apply(List<String> lines);
    }

    /// Writes beside the file, and renames: whoever reads it meanwhile sees all of the old or all of the new.
    private static void rewrite(Path file, Change change) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".new");
        boolean hasModes = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = hasModes
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        try {
            Files.createFile(beside, attributes);
        } catch (FileAlreadyExistsException _) {
            throw new IllegalArgumentException(
                    beside + " is there: somebody else changes the users now, or was interrupted; then delete it");
        }
        try {
            List<String> lines = new ArrayList<>(Files.exists(file) ? Files.readAllLines(file) : List.of());
            change.apply(lines);
            Files.write(beside, lines, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
            Users.parse(file.toString(), lines); // nothing is left behind that a server would not read
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(beside);
        }
    }
}
