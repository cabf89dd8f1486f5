package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `quarrel user`: what it does to the users file.
final class UserCommandTest {
    @TempDir
    private Path folder;

    private CommandRun add(String name, String password, String... options) {
        String[] all = new String[options.length + 6];
        System.arraycopy(
                new String[] {"user", "add", "--users", file().toString(), "--password-stdin", name}, 0, all, 0, 6);
        System.arraycopy(options, 0, all, 6, options.length);
        return CommandRun.withInput(password + "\n", all);
    }

    private Path file() {
        return folder.resolve("users");
    }

    private CommandRun list() {
        return CommandRun.of("user", "list", "--users", file().toString());
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "reads a file's mode")
    void usersComeAndGoAndOtherLinesStay() throws IOException {
        assertThat(add("bob", "b").exitCode()).isZero();
        Files.writeString(file(), "# the team\n" + Files.readString(file()) + "\n# more\n");
        assertThat(add("alice", "a ü").exitCode()).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(list().out()).isEqualTo("alice\nbob\n");
        String before = Files.readString(file());
        assertThat(before).startsWith("# the team\nbob:SCRAM-SHA-256$4096:").contains("\n\n# more\nalice:SCRAM");

        CommandRun again = add("bob", "c");
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).isEqualTo("quarrel: the user bob is there already; --replace gives a new password\n");
        assertThat(Files.readString(file())).isEqualTo(before);
        assertThat(add("bob", "c", "--replace").exitCode()).isZero();
        assertThat(Files.readString(file()))
                .isNotEqualTo(before)
                .startsWith("# the team\nbob:")
                .hasSameSizeAs(before);

        assertThat(CommandRun.of("user", "drop", "--users", file().toString(), "bob")
                        .exitCode())
                .isZero();
        assertThat(list().out()).isEqualTo("alice\n");
        CommandRun gone = CommandRun.of("user", "drop", "--users", file().toString(), "bob");
        assertThat(gone.err()).isEqualTo("quarrel: there is no user bob in " + file() + "\n");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a:b", "#a", " a", "public", "pg_read_all_data", "a\tb"})
    void namesThatCannotBeAreRefused(String name) {
        CommandRun outcome = add(name, "x");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).startsWith("quarrel: ").contains("name").doesNotContain("bug");
        assertThat(file()).doesNotExist();
    }

    @Test
    void passwordsComeByStdinOrATerminal() {
        assertThat(add("ann", "").err()).isEqualTo("quarrel: the password is empty; nothing was changed\n");
        CommandRun outcome = CommandRun.of("user", "add", "--users", file().toString(), "ann");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("--password-stdin");
        assertThat(file()).doesNotExist();
    }

    @Test
    void aFileThatCannotBeReadIsNamedWithItsLine() throws IOException {
        Files.writeString(file(), "# users\nann:secret\n");
        assertThat(list().err()).startsWith("quarrel: " + file() + " line 2: ");
        CommandRun served =
                CommandRun.of("serve", "--data", folder.toString(), "--port", "0", "--users", file().toString());
        assertThat(served.exitCode()).isEqualTo(1);
        assertThat(served.err()).contains(file() + " line 2: ");
        assertThat(CommandRun.of(
                                "user",
                                "list",
                                "--users",
                                folder.resolve("none").toString())
                        .err())
                .contains("no such file");
    }
}
