package dev.quarrel.cli;

import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.server.config.ConfigEnvironment;
import dev.quarrel.server.config.ConfigFile;
import dev.quarrel.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Where a server's configuration comes from: a file, then the environment, then options, the later ones having the
/// last word.
final class ConfigOptions {
    private static final Path DEFAULT_FILE = Path.of("quarrel.toml");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings as TOML; default: the file that $$QUARREL_CONFIG names, or quarrel.toml in the"
                    + " working folder, if there is one.")
    private Path file;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "A setting, such as max_connections=20; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /// What the file and the environment say.
    ///
    /// - Errors: [CommandFailure] for what is wrong in them, [IOException] for a file that cannot be read.
    ServerConfig read() throws IOException {
        return read(ServerConfig.defaults(), System.getenv());
    }

    ServerConfig read(ServerConfig defaults, Map<String, String> environment) throws IOException {
        try {
            Path chosen = file(environment);
            ServerConfig config = chosen == null ? defaults : ConfigFile.read(defaults, chosen);
            return ConfigEnvironment.read(config, environment);
        } catch (IllegalArgumentException wrong) {
            throw new CommandFailure(wrong.getMessage(), wrong);
        }
    }

    /// The file that is read, or null.
    Path file(Map<String, String> environment) throws IOException {
        String named = environment.getOrDefault(ConfigEnvironment.FILE, "");
        Path asked = file != null ? file : named.isEmpty() ? null : Path.of(named);
        if (asked != null && !Files.isRegularFile(asked)) {
            throw new NoSuchFileException(asked.toString());
        }
        return asked != null ? asked : Files.isRegularFile(DEFAULT_FILE) ? DEFAULT_FILE : null;
    }

    /// A configuration with what `--set` says.
    ///
    /// - Errors: [ParameterException] for an unknown name or a value out of range.
    ServerConfig applyTo(ServerConfig before) {
        ServerConfig config = before;
        try {
            for (Map.Entry<String, String> entry : settings.entrySet()) {
                config = config.with(entry.getKey(), entry.getValue(), SettingOrigin.ofOption("--set"));
            }
            return config;
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), wrong.getMessage());
        }
    }
}
