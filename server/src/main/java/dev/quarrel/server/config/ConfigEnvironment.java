package dev.quarrel.server.config;

import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.SettingOrigin;
import java.util.Locale;
import java.util.Map;

/// Settings in environment variables: `QUARREL_` and the name in capitals, with `_` for a dot.
public final class ConfigEnvironment {
    /// The variable that names a configuration file.
    public static final String FILE = "QUARREL_CONFIG";

    private ConfigEnvironment() {}

    /// The variable of a setting, such as `QUARREL_MAX_CONNECTIONS`.
    public static String variable(SettingDefinition definition) {
        return "QUARREL_" + definition.name().replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /// A configuration with what the environment says. Variables of other names are other programs' business: systems
    /// that run containers add some of their own (`QUARREL_PORT_5433_TCP`).
    ///
    /// - Errors: [IllegalArgumentException] for a value out of range, with the variable.
    public static ServerConfig read(ServerConfig before, Map<String, String> environment) {
        ServerConfig config = before;
        for (SettingDefinition definition : SettingList.all()) {
            String variable = variable(definition);
            String value = environment.get(variable);
            if (value != null) {
                try {
                    config = config.with(definition.name(), value, SettingOrigin.ofEnvironment(variable));
                } catch (IllegalArgumentException wrong) {
                    throw new IllegalArgumentException(
                            "environment variable " + variable + ": " + wrong.getMessage(), wrong);
                }
            }
        }
        return config;
    }
}
