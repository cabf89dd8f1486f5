package dev.quarrel.calcite.explain;

import java.util.List;

/// Writes the groups and values of a plan in one of the forms that programs read, as PostgreSQL lays it out.
///
/// - Source: PostgreSQL's `explain_format.c`.
sealed interface PlanWriter permits JsonPlan, YamlPlan, XmlPlan {
    static PlanWriter of(PlanFormat format) {
        return switch (format) {
            case JSON -> new JsonPlan();
            case YAML -> new YamlPlan();
            case XML -> new XmlPlan();
            case TEXT -> throw new IllegalArgumentException("text has lines");
        };
    }

    /// Opens a group of named values, or of groups without names.
    ///
    /// @param type what it is
    /// @param label its name; null within a group whose members have none
    /// @param isNamed whether its members have names
    void open(String type, String label, boolean isNamed);

    /// Closes the group that was opened last.
    void close();

    /// A group that has nothing to say but what it is.
    void empty(String type);

    /// @param value a string, a number or a Boolean
    void value(String label, Object value);

    void list(String label, List<String> items);

    /// All that was written; closes what is open.
    String text();
}
