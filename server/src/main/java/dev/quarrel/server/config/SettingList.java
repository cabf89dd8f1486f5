package dev.quarrel.server.config;

import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.session.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// All settings there are: the process' ([ServerSetting]), then those that a session may set, which are given here
/// as what sessions begin with. Files, the environment, options, `pg_settings` and `quarrel doctor` go by it.
public final class SettingList {
    private static final int FAR = 3;
    private static final Map<String, SettingDefinition> BY_NAME = byName();

    private SettingList() {}

    private static Map<String, SettingDefinition> byName() {
        Map<String, SettingDefinition> all = new LinkedHashMap<>();
        for (ServerSetting setting : ServerSetting.values()) {
            all.put(setting.settingName(), setting.definition());
        }
        Settings.definitions().forEach(definition -> all.put(definition.name().toLowerCase(Locale.ROOT), definition));
        return all;
    }

    public static List<SettingDefinition> all() {
        return new ArrayList<>(BY_NAME.values());
    }

    /// - Errors: [IllegalArgumentException] for an unknown name, which says what it may have been meant to be.
    public static SettingDefinition find(String name) {
        SettingDefinition known = BY_NAME.get(name.toLowerCase(Locale.ROOT));
        if (known == null) {
            String near = nearest(name.toLowerCase(Locale.ROOT));
            throw new IllegalArgumentException(
                    "there is no setting " + name + (near == null ? "" : "; did you mean " + near + "?"));
        }
        return known;
    }

    /// Whether it stands from the process' start.
    public static boolean isOfProcess(SettingDefinition definition) {
        return ofProcess(definition) != null;
    }

    /// The process' setting of a definition, or null for one of sessions.
    static ServerSetting ofProcess(SettingDefinition definition) {
        for (ServerSetting setting : ServerSetting.values()) {
            if (setting.definition() == definition) {
                return setting;
            }
        }
        return null;
    }

    private static String nearest(String name) {
        String nearest = null;
        int least = FAR;
        for (String known : BY_NAME.keySet()) {
            int distance = distance(name, known);
            if (distance < least) {
                least = distance;
                nearest = known;
            }
        }
        return nearest;
    }

    /// How many letters are to be added, left out or changed (Levenshtein).
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= one.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= other.length(); column++) {
                int changed = diagonal + (one.charAt(line - 1) == other.charAt(column - 1) ? 0 : 1);
                diagonal = row[column];
                row[column] = Math.min(changed, 1 + Math.min(row[column], row[column - 1]));
            }
        }
        return row[other.length()];
    }
}
