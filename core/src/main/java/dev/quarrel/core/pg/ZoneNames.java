package dev.quarrel.core.pg;

import java.time.ZoneId;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The names and abbreviations that a text may call a time zone by, in lower case.
///
/// - Source: PostgreSQL's `tznames/Default`, and the time zone database.
final class ZoneNames {
    /// Minutes east of UTC, from the commonest of PostgreSQL's "Default" abbreviations.
    private static final Map<String, Integer> ABBREVIATIONS = Map.ofEntries(
            Map.entry("z", 0),
            Map.entry("utc", 0),
            Map.entry("ut", 0),
            Map.entry("uct", 0),
            Map.entry("gmt", 0),
            Map.entry("wet", 0),
            Map.entry("west", 60),
            Map.entry("bst", 60),
            Map.entry("cet", 60),
            Map.entry("cest", 120),
            Map.entry("met", 60),
            Map.entry("mest", 120),
            Map.entry("eet", 120),
            Map.entry("eest", 180),
            Map.entry("sast", 120),
            Map.entry("msk", 180),
            Map.entry("msd", 240),
            Map.entry("ist", 120),
            Map.entry("jst", 540),
            Map.entry("kst", 540),
            Map.entry("nzst", 720),
            Map.entry("nzdt", 780),
            Map.entry("aest", 600),
            Map.entry("acst", 570),
            Map.entry("awst", 480),
            Map.entry("ast", -240),
            Map.entry("adt", -180),
            Map.entry("est", -300),
            Map.entry("edt", -240),
            Map.entry("cst", -360),
            Map.entry("cdt", -300),
            Map.entry("mst", -420),
            Map.entry("mdt", -360),
            Map.entry("pst", -480),
            Map.entry("pdt", -420),
            Map.entry("akst", -540),
            Map.entry("akdt", -480),
            Map.entry("hst", -600));

    /// Those that zones of other continents have too: where the session's zone is one of these, its own meaning goes
    /// first, and we do not know it.
    private static final Set<String> SHARED_ABBREVIATIONS = Set.of("ist", "bst", "cst", "cdt", "pst", "pdt");

    private static final class Ids {
        static final Map<String, String> BY_LOWER_CASE = new HashMap<>();

        static {
            for (String id : ZoneId.getAvailableZoneIds()) {
                if (!id.startsWith("SystemV/")) {
                    BY_LOWER_CASE.put(id.toLowerCase(Locale.ROOT), id);
                }
            }
        }
    }

    private ZoneNames() {}

    /// Minutes east of UTC that an abbreviation stands for, or null for another word.
    static Integer minutes(String word) {
        return ABBREVIATIONS.get(word);
    }

    /// Whether an abbreviation has another meaning on another continent.
    static boolean isShared(String abbreviation) {
        return SHARED_ABBREVIATIONS.contains(abbreviation);
    }

    /// The zone of a name, or null if there is none.
    static ZoneId zone(String name) {
        String id = Ids.BY_LOWER_CASE.get(name);
        return id == null ? null : ZoneId.of(id);
    }
}
