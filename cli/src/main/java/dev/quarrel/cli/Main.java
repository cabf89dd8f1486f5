package dev.quarrel.cli;

import dev.quarrel.core.type.QueryException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/// `quarrel`: finds the command, runs it, and turns what went wrong into text and an exit code.
@Command(
        name = "quarrel",
        description = "Exports PostgreSQL tables to Arrow files and answers SQL over them.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "'quarrel COMMAND --help' says more.", "Exit codes: 0 done, 1 failed, 2 wrong usage."})
public final class Main implements Runnable {
    static final int FAILED = 1;

    /// The commands by their names, in the order in which the help has them.
    static final Map<String, Class<?>> COMMANDS = commands();

    @Spec
    private CommandSpec spec;

    private Main() {}

    private static Map<String, Class<?>> commands() {
        Map<String, Class<?>> commands = new LinkedHashMap<>();
        commands.put("demo", DemoCommand.class);
        commands.put("serve", ServeCommand.class);
        commands.put("ingest", IngestCommand.class);
        commands.put("user", UserCommand.class);
        commands.put("sql", SqlCommand.class);
        commands.put("export", ExportCommand.class);
        commands.put("import", ImportCommand.class);
        commands.put("ssb", SsbCommand.class);
        commands.put("inspect", InspectCommand.class);
        commands.put("doctor", DoctorCommand.class);
        commands.put("warm-up", WarmUpCommand.class);
        return commands;
    }

    public static void main(String[] arguments) {
        // Data is UTF-8 whatever the locale says, and written by the buffer, not by the line.
        PrintStream data = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(data);
        System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        int exitCode = run(arguments);
        data.flush();
        if (data.checkError() && exitCode == 0) {
            exitCode = FAILED; // whoever reads our data has gone
        }
        System.exit(exitCode);
    }

    /// Runs one command line and gives its exit code.
    static int run(String... arguments) {
        CommandLine commandLine = new CommandLine(new Main());
        // The options of a command are found by reflection, those of all in longer than a short command runs: the one
        // that is called is enough, where one is.
        Class<?> called = arguments.length == 0 ? null : COMMANDS.get(arguments[0]);
        if (called != null) {
            commandLine.addSubcommand(arguments[0], called);
        } else {
            COMMANDS.forEach(commandLine::addSubcommand);
        }
        commandLine.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        commandLine.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        commandLine.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setParameterExceptionHandler((wrong, _) -> reportUsage(wrong));
        commandLine.setExecutionExceptionHandler((failure, _, _) -> report(failure));
        return commandLine.execute(arguments);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getErr());
        throw new ParameterException(spec.commandLine(), "which command?");
    }

    /// Says what is wrong with a command line, and where to read more: the help itself would bury it.
    private static int reportUsage(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("quarrel: " + wrong.getMessage());
        UnmatchedArgumentException.printSuggestions(wrong, err);
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    /// Says on stderr what went wrong, without a stack where the user can do something about it.
    static int report(Exception failure) {
        System.out.flush();
        switch (failure) {
            case QueryException error -> System.err.print(ErrorText.of(error, null));
            case NoSuchFileException missing -> say(missing.getFile() + ": no such file or directory");
            case AccessDeniedException denied -> say(denied.getFile() + ": permission denied");
            case FileSystemException _, IOException _, CommandFailure _ -> say(message(failure));
            default -> {
                say("this is a bug; please report it with the lines below");
                failure.printStackTrace();
            }
        }
        return FAILED;
    }

    private static String message(Exception failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    /// One line for people.
    static void say(String line) {
        System.err.println("quarrel: " + line);
    }

    /// The version that the build wrote into the JAR.
    static String version() {
        try (InputStream resource = Main.class.getResourceAsStream("version.properties")) {
            Properties properties = new Properties();
            properties.load(resource);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new IllegalStateException("version.properties", unreadable);
        }
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"quarrel " + version()};
        }
    }
}
