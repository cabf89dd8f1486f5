package dev.quarrel.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import javax.management.JMException;
import javax.management.ObjectName;

/// Has the JVM keep the classes that a command has loaded, for the next process that runs it: it need not read and
/// verify them again.
///
/// The launcher says where, as long as there is no such archive. A command that fails leaves none, since it has not
/// loaded what the others need.
///
/// - Errors: none; an archive that cannot be made is an empty file, and nobody tries again.
final class ClassArchive {
    /// A system property: the archive's path.
    private static final String PROPERTY = "quarrel.class_archive";

    private ClassArchive() {}

    static void keep() {
        String target = System.getProperty(PROPERTY);
        if (target == null) {
            return;
        }
        Path made = Path.of(target + "." + ProcessHandle.current().pid());
        made.toFile().deleteOnExit(); // it takes a second, in which somebody may stop the process
        try {
            if (!isDumped(made)) {
                Files.write(made, new byte[0]);
            }
            // Of several processes one is last.
            Files.move(made, Path.of(target), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException _) {
            // A folder that is not ours to write.
        }
    }

    /// As `jcmd VM.cds dynamic_dump` does it, which tells of it on stdout.
    private static boolean isDumped(Path path) throws IOException {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "vmCds",
                            new Object[] {new String[] {"dynamic_dump", "\"" + path + "\""}}, // blanks part arguments
                            new String[] {String[].class.getName()});
            return Files.exists(path);
        } catch (JMException | RuntimeException _) {
            Files.deleteIfExists(path);
            return false;
        } finally {
            System.setOut(out);
        }
    }
}
