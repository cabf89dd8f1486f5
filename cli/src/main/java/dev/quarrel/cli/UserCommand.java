package dev.quarrel.cli;

import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.UserName;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.auth.UsersFile;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `quarrel user`: who may log in to a server. Passwords are asked for or come by stdin, never by the command line,
/// which all users of a machine can read.
@Command(
        name = "user",
        description = "Adds, lists and drops the users of a server.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class UserCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getErr());
        throw new ParameterException(spec.commandLine(), "which command: add, list or drop?");
    }

    @Command(name = "add", description = "Adds a user, or gives one a new password.", mixinStandardHelpOptions = true)
    void add(
            @Option(
                            names = "--users",
                            required = true,
                            paramLabel = "FILE",
                            description = "The users file; made where it is missing.")
                    Path file,
            @Option(names = "--password-stdin", description = "Reads the password from the first line of stdin.")
                    boolean fromStdin,
            @Option(names = "--replace", description = "Gives a user who is there already a new password.")
                    boolean replaces,
            @Parameters(paramLabel = "NAME") String name)
            throws IOException {
        change(() -> {
            UserName.checked(name);
            if (UsersFile.has(file, name) && !replaces) {
                throw new IllegalArgumentException(
                        "the user " + name + " is there already; --replace gives a new password");
            }
            UsersFile.put(file, name, ScramVerifier.ofPassword(fromStdin ? passwordOfStdin() : askedPassword(name)));
        });
    }

    @Command(name = "list", description = "Lists the users.", mixinStandardHelpOptions = true)
    void list(
            @Option(names = "--users", required = true, paramLabel = "FILE", description = "The users file.") Path file)
            throws IOException {
        change(() -> {
            Users users = Users.read(file);
            for (String name : users.names()) {
                Set<String> roles = users.rolesOf(name);
                System.out.println(roles.isEmpty() ? name : name + " (" + String.join(", ", roles) + ")");
            }
        });
    }

    @Command(name = "drop", description = "Drops a user.", mixinStandardHelpOptions = true)
    void drop(
            @Option(names = "--users", required = true, paramLabel = "FILE", description = "The users file.") Path file,
            @Parameters(paramLabel = "NAME") String name)
            throws IOException {
        change(() -> UsersFile.remove(file, name));
    }

    private interface Change {
        void run() throws IOException;
    }

    private static void change(Change change) throws IOException {
        try {
            change.run();
        } catch (IllegalArgumentException refused) {
            throw new CommandFailure(refused.getMessage(), refused);
        }
    }

    private static String passwordOfStdin() throws IOException {
        String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        return checked(line == null ? "" : line);
    }

    private static String askedPassword(String name) {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            throw new IllegalArgumentException(
                    "there is no terminal to ask for a password on; --password-stdin reads it from stdin");
        }
        char[] first = console.readPassword("Password for %s: ", name);
        char[] second = console.readPassword("Again: ");
        if (first == null || !Arrays.equals(first, second)) {
            throw new IllegalArgumentException("the passwords differ; nothing was changed");
        }
        return checked(new String(first));
    }

    private static String checked(String password) {
        if (password.isEmpty()) {
            throw new IllegalArgumentException("the password is empty; nothing was changed");
        }
        return password;
    }
}
