package dev.quarrel.server.config;

import dev.quarrel.server.auth.Users;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/// The configuration of a server: the checked values of each [ServerSetting], and the users. Immutable.
public final class ServerConfig {
    private final Map<ServerSetting, String> values;
    private final Supplier<Users> users;

    private ServerConfig(Map<ServerSetting, String> values, Supplier<Users> users) {
        this.values = values;
        this.users = users;
    }

    public static ServerConfig defaults() {
        return new ServerConfig(new EnumMap<>(ServerSetting.class), Users::none);
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

    /// Users that an application made.
    public ServerConfig withUsers(Users newUsers) {
        return withUsers(() -> newUsers);
    }

    /// Users that change: each login asks for them.
    public ServerConfig withUsers(Supplier<Users> newUsers) {
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

    /// The users as they are now.
    public Users users() {
        return users.get();
    }
}
