package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.HashMap;
import java.util.Map;

/// What the clocks of common time zones are called since 1972, in winter and in summer: Java does not know.
///
/// - Source: the time zone database.
public final class ZoneAbbreviations {
    /// 1972-01-01: before that, many zones had other names and rules.
    private static final long FIRST_SECOND = 63_072_000;

    private static final Map<String, String[]> BY_ID = new HashMap<>();

    static {
        put("UTC UTC", "UTC Etc/UTC UCT Etc/UCT Zulu Etc/Zulu Universal Etc/Universal");
        put("GMT GMT", "GMT Etc/GMT Greenwich Etc/Greenwich GMT0 Etc/GMT0");
        put("GMT BST", "Europe/London GB");
        put(
                "CET CEST",
                "Europe/Berlin Europe/Vienna Europe/Zurich Europe/Paris Europe/Brussels Europe/Amsterdam Europe/Madrid"
                        + " Europe/Rome Europe/Stockholm Europe/Oslo Europe/Copenhagen Europe/Budapest Europe/Prague"
                        + " Europe/Luxembourg Europe/Warsaw Europe/Belgrade");
        put("EET EEST", "Europe/Athens Europe/Helsinki Europe/Bucharest");
        put("EST EDT", "America/New_York US/Eastern America/Toronto");
        put("CST CDT", "America/Chicago US/Central Asia/Shanghai");
        put("MST MDT", "America/Denver US/Mountain America/Phoenix");
        put("PST PDT", "America/Los_Angeles US/Pacific");
        put("AST ADT", "America/Halifax");
        put("HST HDT", "Pacific/Honolulu US/Hawaii");
        put("JST JDT", "Asia/Tokyo Japan");
        put("KST KDT", "Asia/Seoul");
        put("IST +0630", "Asia/Kolkata");
        put("HKT HKST", "Asia/Hong_Kong");
        put("AEST AEDT", "Australia/Sydney Australia/Melbourne Australia/Brisbane");
        put("ACST ACDT", "Australia/Adelaide");
        put("AWST AWDT", "Australia/Perth");
        put("NZST NZDT", "Pacific/Auckland NZ");
    }

    private ZoneAbbreviations() {}

    private static void put(String names, String ids) {
        for (String id : ids.split(" ")) {
            BY_ID.put(id, names.split(" "));
        }
    }

    /// - Errors: 0A000 for a zone, or a time, of which it is not known.
    public static String of(ZoneId zone, long micros) {
        if (zone.equals(ZoneOffset.UTC)) {
            return "UTC";
        }
        String[] names = BY_ID.get(zone.getId());
        ZoneRules rules = zone.getRules();
        Instant instant = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L));
        if (names == null || !rules.isFixedOffset() && instant.getEpochSecond() < FIRST_SECOND) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: the abbreviation of the time zone " + ZoneNames.shown(zone) + " at that time");
        }
        return names[rules.isDaylightSavings(instant) ? 1 : 0];
    }
}
