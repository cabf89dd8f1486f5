package dev.quarrel.export.source;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// The passwords of `~/.pgpass`, by host, port, database and user.
///
/// A file that others may read is not used, as libpq does not use it.
///
/// - Source: PostgreSQL documentation, "The Password File".
public record PasswordFile(Path path) {
    private static final int FIELDS = 5;

    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    /// The password of the first line that fits; null where none does.
    ///
    /// @param warnings hears why the file is not used
    public String find(String host, int port, String database, String user, Consumer<String> warnings) {
        if (!Files.exists(path)) {
            return null;
        }
        if (!Files.isRegularFile(path)) {
            warnings.accept("password file \"" + path + "\" is not a plain file");
            return null;
        }
        try {
            PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
            if (view != null && view.readAttributes().permissions().stream().anyMatch(OTHERS::contains)) {
                warnings.accept("password file \"" + path
                        + "\" has group or world access; permissions should be u=rw (0600) or less");
                return null;
            }
            List<String> wanted = List.of(host, Integer.toString(port), database, user);
            for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
                if (!line.startsWith("#")) {
                    List<String> fields = fields(line);
                    if (fields.size() == FIELDS && fits(fields, wanted)) {
                        return fields.getLast();
                    }
                }
            }
            return null;
        } catch (IOException failure) {
            warnings.accept("password file \"" + path + "\" cannot be read: " + failure.getMessage());
            return null;
        }
    }

    private static boolean fits(List<String> fields, List<String> wanted) {
        for (int index = 0; index < wanted.size(); index++) {
            String field = fields.get(index);
            // A star that was escaped has kept its backslash.
            if (!field.equals("*") && !field.replace("\\*", "*").equals(wanted.get(index))) {
                return false;
            }
        }
        return true;
    }

    /// The first four end at a colon; the password is what is left, and may have colons.
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int at = 0; at < line.length(); at++) {
            char next = line.charAt(at);
            if (next == '\\' && at + 1 < line.length()) {
                char escaped = line.charAt(++at);
                field.append(escaped == '*' ? "\\*" : String.valueOf(escaped));
            } else if (next == ':' && fields.size() < FIELDS - 1) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(next);
            }
        }
        fields.add(fields.size() == FIELDS - 1 ? field.toString().replace("\\*", "*") : field.toString());
        return fields;
    }
}
