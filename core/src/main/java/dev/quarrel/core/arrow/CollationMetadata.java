package dev.quarrel.core.arrow;

import dev.quarrel.core.type.Collation;
import java.util.Map;
import java.util.TreeMap;

/// The collation of a field as the field's metadata record it: `pg.collation` is its name, `pg.collprovider`,
/// `pg.colllocale`, `pg.collicurules` and `pg.collversion` what `pg_collation` says of it, and `pg.collisdeterministic`
/// is there where it is false.
public final class CollationMetadata {
    private static final String NAME = "pg.collation";
    private static final String PROVIDER = "pg.collprovider";
    private static final String LOCALE = "pg.colllocale";
    private static final String RULES = "pg.collicurules";
    private static final String VERSION = "pg.collversion";
    private static final String DETERMINISTIC = "pg.collisdeterministic";

    private CollationMetadata() {}

    /// @param collation null for none
    public static Map<String, String> write(Collation collation) {
        Map<String, String> metadata = new TreeMap<>();
        if (collation == null) {
            return metadata;
        }
        metadata.put(NAME, collation.name());
        metadata.put(PROVIDER, String.valueOf(collation.provider().code()));
        metadata.put(LOCALE, collation.locale());
        if (collation.rules() != null) {
            metadata.put(RULES, collation.rules());
        }
        if (collation.version() != null) {
            metadata.put(VERSION, collation.version());
        }
        if (!collation.isDeterministic()) {
            metadata.put(DETERMINISTIC, "false");
        }
        return metadata;
    }

    /// The collation of such metadata, or null where they name none. One that is not understood is told, not taken for
    /// another: a provider that nobody knows orders like no collation of ours.
    public static Collation read(Map<String, String> metadata) {
        String name = metadata.get(NAME);
        if (name == null) {
            return null;
        }
        Collation.Provider provider = Collation.Provider.of(metadata.get(PROVIDER));
        String locale = metadata.get(LOCALE);
        return new Collation(
                name,
                provider == null ? Collation.Provider.LIBC : provider,
                provider == null || locale == null ? "unknown" : locale,
                metadata.get(RULES),
                !"false".equals(metadata.get(DETERMINISTIC)),
                metadata.get(VERSION));
    }
}
