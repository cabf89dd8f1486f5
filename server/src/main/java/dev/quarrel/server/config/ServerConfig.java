package dev.quarrel.server.config;

import dev.quarrel.calcite.SettingDefaults;
import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.calcite.SettingType;
import dev.quarrel.calcite.session.Settings;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.server.auth.Users;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// The configuration of a server: the checked values of each [ServerSetting] with where they come from, what its
/// sessions begin with, and the users. Immutable.
public final class ServerConfig {
    private final Map<ServerSetting, Value> values;
    private final Map<String, SettingDefaults.Given> ofSessions;
    private final Supplier<Users> users;
    private volatile SettingDefaults sessionDefaults;

    private record Value(String text, SettingOrigin origin) {}

    private ServerConfig(
            Map<ServerSetting, Value> values, Map<String, SettingDefaults.Given> ofSessions, Supplier<Users> users) {
        this.values = values;
        this.ofSessions = ofSessions;
        this.users = users;
    }

    public static ServerConfig defaults() {
        return new ServerConfig(new EnumMap<>(ServerSetting.class), Map.of(), Users::none);
    }

    /// - Errors: [IllegalArgumentException] for a value out of range.
    public ServerConfig with(ServerSetting setting, String value) {
        return with(setting, value, SettingOrigin.APPLICATION);
    }

    public ServerConfig with(ServerSetting setting, long value) {
        return with(setting, Long.toString(value));
    }

    public ServerConfig with(ServerSetting setting, String value, SettingOrigin origin) {
        Map<ServerSetting, Value> changed = new EnumMap<>(ServerSetting.class);
        changed.putAll(values);
        changed.put(setting, new Value(setting.checked(value), origin));
        return new ServerConfig(changed, ofSessions, users);
    }

    /// A setting of the process, or what sessions begin with, by its name.
    ///
    /// - Errors: [IllegalArgumentException] for an unknown name, which says what it may have been meant to be, and
    ///   for a value out of range.
    public ServerConfig with(String name, String value, SettingOrigin origin) {
        SettingDefinition definition = SettingList.find(name);
        ServerSetting ofProcess = SettingList.ofProcess(definition);
        if (ofProcess != null) {
            return with(ofProcess, value, origin);
        }
        try {
            String checked = Settings.checked(definition.name(), value);
            Map<String, SettingDefaults.Given> changed = new TreeMap<>(ofSessions);
            changed.put(definition.name(), new SettingDefaults.Given(definition, checked, origin));
            return new ServerConfig(values, changed, users);
        } catch (QueryException wrong) {
            String hint = wrong.hint() == null ? "" : " (" + wrong.hint() + ")";
            throw new IllegalArgumentException(wrong.getMessage() + hint, wrong);
        }
    }

    /// Users that an application made.
    public ServerConfig withUsers(Users newUsers) {
        return withUsers(() -> newUsers);
    }

    /// Users that change: each login asks for them.
    public ServerConfig withUsers(Supplier<Users> newUsers) {
        return new ServerConfig(values, ofSessions, newUsers);
    }

    /// The value as it is kept: numbers in the setting's unit.
    public String text(ServerSetting setting) {
        Value value = values.get(setting);
        return value == null ? setting.defaultText() : value.text();
    }

    /// Whether it is not the default that counts.
    public boolean isSet(ServerSetting setting) {
        return values.containsKey(setting);
    }

    public SettingOrigin origin(ServerSetting setting) {
        Value value = values.get(setting);
        return value == null ? SettingOrigin.DEFAULT : value.origin();
    }

    public int number(ServerSetting setting) {
        return Integer.parseInt(text(setting));
    }

    public Duration seconds(ServerSetting setting) {
        return Duration.ofSeconds(number(setting));
    }

    public boolean isOn(ServerSetting setting) {
        return text(setting).equals("on");
    }

    /// What sessions begin with, and what they show of the process: all but its paths, which are no client's business.
    public SettingDefaults sessionDefaults() {
        SettingDefaults known = sessionDefaults;
        if (known == null) {
            List<SettingDefaults.Given> all = new ArrayList<>(ofSessions.values());
            for (ServerSetting setting : ServerSetting.values()) {
                if (!(setting.definition().type() instanceof SettingType.Text(boolean isPath) && isPath)) {
                    all.add(new SettingDefaults.Given(setting.definition(), shown(setting), origin(setting)));
                }
            }
            known = new SettingDefaults(all);
            sessionDefaults = known;
        }
        return known;
    }

    /// A value of the process as SHOW gives it.
    private String shown(ServerSetting setting) {
        if (setting == ServerSetting.TLS && text(setting).isEmpty()) {
            return text(ServerSetting.TLS_CERT).isEmpty() ? "off" : "on";
        }
        return setting.shown(text(setting));
    }

    /// Every setting with the value that counts and where it is from.
    public List<SettingDefaults.Given> all() {
        List<SettingDefaults.Given> all = new ArrayList<>();
        for (ServerSetting setting : ServerSetting.values()) {
            all.add(new SettingDefaults.Given(setting.definition(), shown(setting), origin(setting)));
        }
        for (SettingDefinition definition : Settings.definitions()) {
            SettingDefaults.Given given = ofSessions.get(definition.name());
            all.add(
                    given != null
                            ? given
                            : new SettingDefaults.Given(definition, definition.defaultValue(), SettingOrigin.DEFAULT));
        }
        return all;
    }

    /// The users as they are now.
    public Users users() {
        return users.get();
    }
}
