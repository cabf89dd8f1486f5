package dev.quarrel.core.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;

/// Checks who owns a file: in a folder that users share, a name proves nothing, since anybody can make a file or
/// a link of any name.
public final class FileOwner {
    private static UserPrincipal current; // guarded by the class; null until asked for, and where it cannot be known

    private FileOwner() {}

    /// The user that this process makes files as; null where no file can be made to see it.
    public static synchronized UserPrincipal current() {
        if (current == null) {
            // The system's tables of names need not know the user, as in containers; who made a file is its owner.
            try {
                Path probe = Files.createTempFile("quarrel-owner", null);
                try {
                    current = Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS);
                } finally {
                    Files.delete(probe);
                }
            } catch (IOException | UnsupportedOperationException _) {
                return null;
            }
        }
        return current;
    }

    /// Whether the file or folder itself, and not what a link leads to, is this process' user's. False where
    /// nobody knows.
    public static boolean isOurs(Path path) {
        try {
            return !Files.isSymbolicLink(path)
                    && isOurs(
                            Files.getFileAttributeView(path, FileOwnerAttributeView.class, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException _) {
            return false;
        }
    }

    /// The same of a file that is open, or of one by way of its open folder.
    public static boolean isOurs(FileOwnerAttributeView view) throws IOException {
        return view != null && view.getOwner().equals(current());
    }

    /// Whether nobody but this process' user can put anything into a folder, or take it away. False where nobody knows.
    public static boolean isPrivate(Path folder) {
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isDirectory()
                    && attributes.owner().equals(current())
                    && !attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
                    && !attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE);
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }
}
