package dev.quarrel.export.maven;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.maven.plugin.MojoExecutionException;

/** Finds a JDK that is new enough: the one given, Maven's own, JAVA_HOME's, or one installed where JDKs are. */
final class JavaHome {
    private static final int MINIMUM = 25;

    private final File given;

    /** @param given where to look first and only; or null */
    JavaHome(File given) {
        this.given = given;
    }

    File java() throws MojoExecutionException {
        if (given != null) {
            if (version(given) < MINIMUM) {
                throw new MojoExecutionException(
                        given + " is not the home of a JDK " + MINIMUM + " or newer (its file \"release\" says so)");
            }
            return executable(given);
        }
        for (File home : candidates()) {
            if (version(home) >= MINIMUM) {
                return executable(home);
            }
        }
        throw new MojoExecutionException("the export needs a JDK " + MINIMUM
                + " or newer, and none was found: install one, and set JAVA_HOME or <jdkHome> to it");
    }

    private static List<File> candidates() {
        List<File> homes = new ArrayList<>();
        homes.add(new File(System.getProperty("java.home")));
        String environment = System.getenv("JAVA_HOME");
        if (environment != null) {
            homes.add(new File(environment));
        }
        String user = System.getProperty("user.home");
        addFolders(homes, new File("/usr/lib/jvm"), "");
        addFolders(homes, new File("/opt/java"), "");
        addFolders(homes, new File(user, ".jdks"), "");
        addFolders(homes, new File(user, ".sdkman/candidates/java"), "");
        addFolders(homes, new File("/Library/Java/JavaVirtualMachines"), "Contents/Home");
        addFolders(homes, new File("C:\\Program Files\\Eclipse Adoptium"), "");
        addFolders(homes, new File("C:\\Program Files\\Java"), "");
        return homes;
    }

    private static void addFolders(List<File> homes, File parent, String below) {
        File[] folders = parent.listFiles(File::isDirectory);
        if (folders != null) {
            for (File folder : folders) {
                homes.add(below.isEmpty() ? folder : new File(folder, below));
            }
        }
    }

    /** The feature version by the file that every JDK has; 0 where there is none. */
    private static int version(File home) {
        Path release = home.toPath().resolve("release");
        if (!Files.isReadable(release) || !executable(home).canExecute()) {
            return 0;
        }
        Properties properties = new Properties();
        try (InputStream input = Files.newInputStream(release)) {
            properties.load(input);
            String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
            String feature = version.split("[.+-]", 2)[0];
            return Integer.parseInt(feature);
        } catch (IOException | NumberFormatException failure) {
            return 0;
        }
    }

    private static File executable(File home) {
        boolean windows = File.separatorChar == '\\';
        return new File(home, windows ? "bin\\java.exe" : "bin/java");
    }
}
