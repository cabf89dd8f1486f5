package dev.quarrel.server.config;

import dev.quarrel.server.auth.Users;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/// The configuration of a server: the checked values of each [ServerSetting], and the users. Immutable.
public final class ServerConfig {
    private final Map<ServerSetting, String> values;
    private final Users users;

    private ServerConfig(Map<ServerSetting, String> values, Users users) {
        this.values = values;
        this.users = users;
    }

    public static ServerConfig defaults() {
        return new ServerConfig(new EnumMap<>(ServerSetting.class), Users.none());
    }

    /// - Errors: [IllegalArgumentException] for a value out of range.
    public ServerConfig with(ServerSetting setting, String value) {
        setting.check(value);
        Map<ServerSetting, String> changed = new EnumMap<>(ServerSetting.class);
        changed.putAll(values);
        changed.put(setting, value);
        return new ServerConfig(changed, users);
    }

    public ServerConfig with(ServerSetting setting, long value) {
        return with(setting, Long.toString(value));
    }

    /// The users, as read from [ServerSetting#USERS_FILE] or made by an application.
    public ServerConfig withUsers(Users newUsers) {
        return new ServerConfig(values, newUsers);
    }

    public String text(ServerSetting setting) {
        return values.getOrDefault(setting, setting.defaultText());
    }

    public int number(ServerSetting setting) {
        return Integer.parseInt(text(setting));
    }

    public Duration seconds(ServerSetting setting) {
        return Duration.ofSeconds(number(setting));
    }

    public Users users() {
        return users;
    }
}
