package dev.quarrel.core.arrow;

import java.util.Map;

/// What a field's metadata say of a struct that is no composite, and of a list that is no array.
final class NestedMetadata {
    static final String FORM = "pg.form";
    static final String RANGE = "range";
    static final String MULTIRANGE = "multirange";

    private NestedMetadata() {}

    static boolean isRange(Map<String, String> metadata) {
        return RANGE.equals(metadata.get(FORM));
    }

    static boolean isMultirange(Map<String, String> metadata) {
        return MULTIRANGE.equals(metadata.get(FORM));
    }
}
