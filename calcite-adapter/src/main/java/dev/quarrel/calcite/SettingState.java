package dev.quarrel.calcite;

/// A setting as it stands in a session.
///
/// @param value now, in the form that SHOW gives
/// @param resetValue what RESET gives back
/// @param origin of the value
public record SettingState(SettingDefinition definition, String value, String resetValue, SettingOrigin origin) {}
