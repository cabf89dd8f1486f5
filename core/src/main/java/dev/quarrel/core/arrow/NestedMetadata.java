package dev.quarrel.core.arrow;

import java.util.Map;

/// What a field's metadata say of a list or struct that is no array and no composite, under `pg.form`.
final class NestedMetadata {
    static final String FORM = "pg.form";
    static final String RANGE = "range";
    static final String MULTIRANGE = "multirange";
    static final String VECTOR = "vector";
    static final String HSTORE = "hstore";
    static final String HEX = "hex";
    static final String WKB_EXTENSION = "geoarrow.wkb";

    private NestedMetadata() {}

    static boolean is(String form, Map<String, String> metadata) {
        return form.equals(metadata.get(FORM));
    }
}
