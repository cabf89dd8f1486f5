package dev.quarrel.calcite;

/// Where a setting's value comes from, in the words of `pg_settings`.
///
/// @param source such as `configuration file`
/// @param place the file, the variable or the option; null for a default
/// @param line in a file, from 1; 0 elsewhere
public record SettingOrigin(String source, String place, int line) {
    public static final SettingOrigin DEFAULT = new SettingOrigin("default", null, 0);
    /// Set by the application that embeds the server.
    public static final SettingOrigin APPLICATION = new SettingOrigin("override", null, 0);

    private static final String FILE = "configuration file";

    public static SettingOrigin ofFile(String file, int line) {
        return new SettingOrigin(FILE, file, line);
    }

    public static SettingOrigin ofEnvironment(String variable) {
        return new SettingOrigin("environment variable", variable, 0);
    }

    public static SettingOrigin ofOption(String option) {
        return new SettingOrigin("command line", option, 0);
    }

    public boolean isFile() {
        return source.equals(FILE);
    }

    /// For messages: `quarrel.toml:3`, `environment variable QUARREL_PORT`, `--port`.
    public String text() {
        if (place == null) {
            return source;
        }
        return isFile() ? place + ":" + line : source.equals("command line") ? place : source + " " + place;
    }
}
