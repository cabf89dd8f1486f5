package dev.quarrel.cli.launch;

import java.lang.reflect.InvocationTargetException;

/// The class that `java -jar quarrel.jar` runs first: on a Java that is too old it says so, where everything
/// else could only be refused as class files of an unknown version. Compiled for Java 8, and uses nothing newer.
public final class Start {
    private static final int OLDEST = 25;
    private static final String MAIN = "dev.quarrel.cli.Main";

    private Start() {}

    public static void main(String[] arguments) throws Throwable {
        String version = System.getProperty("java.specification.version");
        if (!isNewEnough(version)) {
            System.err.println("quarrel: this needs Java " + OLDEST + " or newer, and was started by Java " + version
                    + " (" + System.getProperty("java.home") + ").");
            System.err.println("quarrel: Start it with a newer one, such as Eclipse Temurin"
                    + " (https://adoptium.net/installation), or by ./quarrel, which finds one beside it.");
            System.exit(1);
        }
        try {
            // By name: the class is of a version that an old Java could not read.
            Class.forName(MAIN).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    /// Versions before 9 were written 1.8.
    static boolean isNewEnough(String version) {
        try {
            return version != null && !version.startsWith("1.") && Integer.parseInt(version) >= OLDEST;
        } catch (NumberFormatException unknown) {
            return true; // of a time to come
        }
    }
}
