package dev.quarrel.server.config;

import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.calcite.SettingType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;

/// A configuration file in TOML: `name = value` for each setting.
///
/// Numbers with a unit are whole numbers of the setting's unit, or strings that say another (`"2GB"`, `"5min"`). Paths
/// that are not absolute count from the file's folder.
public final class ConfigFile {
    private static final long MAX_BYTES = 1 << 20;

    private ConfigFile() {}

    /// A configuration with what a file says.
    ///
    /// - Errors: [IllegalArgumentException] for what is no TOML, an unknown key and a value of the wrong type or
    ///   out of range, each with file and line; [IOException] for a file that cannot be read.
    public static ServerConfig read(ServerConfig before, Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IllegalArgumentException(file + ": a configuration has at most " + MAX_BYTES + " bytes");
        }
        TomlParseResult toml = Toml.parse(file);
        if (toml.hasErrors()) {
            TomlParseError first = toml.errors().getFirst();
            throw new IllegalArgumentException(file + ":" + first.position().line() + ": " + first.getMessage());
        }
        ServerConfig config = before;
        for (List<String> key : toml.keyPathSet(false)) {
            int line = toml.inputPositionOf(key).line();
            SettingOrigin origin = SettingOrigin.ofFile(file.toString(), line);
            try {
                SettingDefinition definition = SettingList.find(String.join(".", key));
                config = config.with(definition.name(), value(definition, toml.get(key), file), origin);
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(file + ":" + line + ": " + wrong.getMessage(), wrong);
            }
        }
        return config;
    }

    private static String value(SettingDefinition definition, Object value, Path file) {
        return switch (definition.type()) {
            case SettingType.Text(boolean isPath)
            when value instanceof String text -> isPath ? resolved(definition, text, file) : text;
            case SettingType.Word _ when value instanceof String text -> text;
            // As PostgreSQL's words on, off are.
            case SettingType.Word(List<String> words)
            when value instanceof Boolean on && words.contains("on") -> on ? "on" : "off";
            case SettingType.Switch _ when value instanceof Boolean on -> on ? "on" : "off";
            case SettingType.Whole _ when value instanceof Long number -> number.toString();
            case SettingType.Whole whole when value instanceof String text && whole.unit() != null -> text;
            case SettingType.Real _ when value instanceof Double number -> number.toString();
            case SettingType.Real _ when value instanceof Long number -> number.toString();
            default ->
                throw new IllegalArgumentException(
                        definition.name() + " is " + wanted(definition.type()) + ", not " + said(value));
        };
    }

    private static String resolved(SettingDefinition definition, String text, Path file) {
        boolean isWord = text.isEmpty()
                || definition == ServerSetting.STATS_CACHE.definition() && text.equals(ServerSetting.NO_STATS);
        return isWord
                ? text
                : file.toAbsolutePath().resolveSibling(text).normalize().toString();
    }

    private static String wanted(SettingType type) {
        return switch (type) {
            case SettingType.Text(boolean isPath) -> isPath ? "a path as a string" : "a string";
            case SettingType.Word _ -> "a word as a string";
            case SettingType.Switch _ -> "true or false";
            case SettingType.Real _ -> "a number";
            case SettingType.Whole whole ->
                whole.unit() == null
                        ? "a whole number"
                        : "a whole number of " + whole.unit() + ", or a string with a unit";
        };
    }

    private static String said(Object value) {
        return switch (value) {
            case String text -> "the string \"" + text + "\"";
            case Long number -> "the number " + number;
            case Double number -> "the number " + number;
            case Boolean on -> on.toString();
            case org.tomlj.TomlTable _ -> "a table";
            case org.tomlj.TomlArray _ -> "an array";
            default -> "a date or time";
        };
    }
}
