package dev.quarrel.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/// What the launcher starts in [LauncherTest] instead of Quarrel: says what it was given.
final class EchoMain {
    private EchoMain() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        switch (arguments[0]) {
            case "arguments" -> System.out.print(String.join("|", arguments));
            case "stdin" ->
                System.out.print(new String(System.in.readAllBytes(), StandardCharsets.UTF_8).toUpperCase());
            case "stderr" -> {
                System.err.println("first line");
                System.err.print("\rbar without a line's end");
            }
            case "exit" -> System.exit(Integer.parseInt(arguments[1]));
            case "heap" -> {
                long most = Runtime.getRuntime().maxMemory() >> 20;
                System.out.print(most + " of " + System.getenv("QUARREL_JAVA_OPTS"));
            }
            case "options" -> System.out.print(options());
            case "warm-up" -> {}
            case "export" -> {
                System.out.print(options());
                if (arguments.length == 2 && arguments[1].equals("fails")) {
                    System.exit(1);
                }
                ClassRecord.keep();
            }
            case "wait" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    System.out.println("hook ran");
                    System.out.flush();
                }));
                System.out.println("waiting");
                Thread.sleep(60_000);
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static String options() {
        return String.join("|", ManagementFactory.getRuntimeMXBean().getInputArguments());
    }
}
