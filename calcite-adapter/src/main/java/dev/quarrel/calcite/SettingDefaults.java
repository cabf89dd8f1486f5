package dev.quarrel.calcite;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What sessions begin with where it was said once for all of them, and the process' own settings, which they show.
///
/// Immutable; sessions share it.
public final class SettingDefaults {
    public static final SettingDefaults NONE = new SettingDefaults(List.of());

    private final Map<String, Given> byName = new LinkedHashMap<>();

    /// A setting's value.
    ///
    /// @param value in the form that SHOW gives
    public record Given(SettingDefinition definition, String value, SettingOrigin origin) {}

    public SettingDefaults(Collection<Given> given) {
        given.forEach(each -> byName.put(each.definition().name().toLowerCase(Locale.ROOT), each));
    }

    /// Null for a setting of which nothing was said.
    public Given find(String name) {
        return byName.get(name.toLowerCase(Locale.ROOT));
    }

    public Collection<Given> all() {
        return java.util.Collections.unmodifiableCollection(byName.values());
    }
}
