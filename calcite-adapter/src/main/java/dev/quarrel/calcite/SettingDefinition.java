package dev.quarrel.calcite;

/// A setting: of a session, which a client may change, or of the process, which stands from its start.
///
/// @param name as SHOW ALL writes it; looked up without regard to case
/// @param defaultValue in the form that SHOW gives
/// @param description a line, for `pg_settings`
/// @param isOfSessions whether a session may set it
public record SettingDefinition(
        String name, SettingType type, String defaultValue, String description, boolean isOfSessions) {}
