package dev.quarrel.server.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who may read the files that hold secrets.
public final class FileModes {
    private static final Logger LOG = LoggerFactory.getLogger(FileModes.class);
    private static final Set<PosixFilePermission> TOO_MUCH = EnumSet.of(
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    private FileModes() {}

    /// Warns of a file that all of this machine's users may read, or others than its owner may write.
    ///
    /// @param what it holds
    public static void warnOfOthers(Path file, String what) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            return; // no such modes here
        }
        Set<PosixFilePermission> permissions = view.readAttributes().permissions();
        if (permissions.stream().anyMatch(TOO_MUCH::contains)) {
            LOG.warn(
                    "server.file_mode the {} file {} is open to others ({}); chmod 600 closes it",
                    what,
                    file,
                    PosixFilePermissions.toString(permissions));
        }
    }
}
