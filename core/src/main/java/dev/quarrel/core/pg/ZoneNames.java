package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// The names and abbreviations that a text may call a time zone by, in lower case.
///
/// - Source: PostgreSQL's `tznames/Default`, and the time zone database.
public final class ZoneNames {
    /// Abbreviations by the minutes east of UTC that they stand for.
    private static final Map<String, Integer> ABBREVIATIONS = abbreviations();

    private static Map<String, Integer> abbreviations() {
        Map<Integer, String> words = Map.ofEntries(
                Map.entry(-600, "hst taht"),
                Map.entry(-570, "mart"),
                Map.entry(-540, "akst gamt"),
                Map.entry(-480, "akdt pst"),
                Map.entry(-420, "mst pdt"),
                Map.entry(-360, "cst galt mdt"),
                Map.entry(-300, "act cdt cot est pet"),
                Map.entry(-240, "amt ast bot edt"),
                Map.entry(-210, "nft nst"),
                Map.entry(-180, "adt bra brt clst gft pmst pyst uyt wgt"),
                Map.entry(-150, "ndt"),
                Map.entry(-120, "brst fnt pmdt uyst wgst"),
                Map.entry(-60, "azot egt fnst"),
                Map.entry(0, "azost egst gmt uct ut utc wet z"),
                Map.entry(60, "bst cet met mez wat wetdst"),
                Map.entry(120, "bdst cest cetdst eet ist mest mesz metdst sast"),
                Map.entry(180, "eat eest eetdst fet idt"),
                Map.entry(210, "irt"),
                Map.entry(240, "msd mut ret sct"),
                Map.entry(270, "aft"),
                Map.entry(300, "must mvt pkt tft tjt uzt"),
                Map.entry(345, "npt"),
                Map.entry(360, "almt bdt btt kgst pkst uzst xjt yekst"),
                Map.entry(390, "mmt"),
                Map.entry(420, "almst cxt ict wast"),
                Map.entry(480, "awst bnt bort cct hkt myt pht wadt"),
                Map.entry(525, "acwst"),
                Map.entry(540, "awsst jayt jst kst pwt ulast wdt"),
                Map.entry(570, "acst cast"),
                Map.entry(600, "aest chut ddut kdt ligt mpt pgt trut yapt"),
                Map.entry(630, "acdt acsst cadt lhst sadt"),
                Map.entry(660, "aedt aesst pont vut"),
                Map.entry(720, "fjt gilt mht nzst nzt tvt wakt wft"),
                Map.entry(765, "chast"),
                Map.entry(780, "fjst nzdt tot"),
                Map.entry(825, "chadt"));
        Map<String, Integer> minutes = new HashMap<>();
        words.forEach((offset, names) -> {
            for (String name : names.split(" ")) {
                minutes.put(name, offset);
            }
        });
        return minutes;
    }

    /// Abbreviations that mean what they did in a place at that time, or what its clocks show where they were never
    /// called so.
    private static final Map<String, String> PLACES = places();

    private static Map<String, String> places() {
        Map<String, String> words = Map.ofEntries(
                Map.entry("America/Argentina/Buenos_Aires", "art arst"),
                Map.entry("America/Santiago", "clt"),
                Map.entry("America/Guyana", "gyt"),
                Map.entry("America/Asuncion", "pyt"),
                Map.entry("America/Caracas", "vet"),
                Map.entry("Antarctica/Davis", "davt"),
                Map.entry("Antarctica/Mawson", "mawt"),
                Map.entry("Asia/Yerevan", "amst"),
                Map.entry("Asia/Anadyr", "anast anat"),
                Map.entry("Asia/Baku", "azst azt"),
                Map.entry("Asia/Tbilisi", "gest get"),
                Map.entry("Asia/Irkutsk", "irkst irkt"),
                Map.entry("Asia/Bishkek", "kgt"),
                Map.entry("Asia/Krasnoyarsk", "krast krat"),
                Map.entry("Asia/Colombo", "lkt"),
                Map.entry("Asia/Magadan", "magst magt"),
                Map.entry("Asia/Novosibirsk", "novst novt"),
                Map.entry("Asia/Omsk", "omsst omst"),
                Map.entry("Asia/Kamchatka", "petst pett"),
                Map.entry("Asia/Singapore", "sgt"),
                Map.entry("Asia/Ashgabat", "tmt"),
                Map.entry("Asia/Ulaanbaatar", "ulat"),
                Map.entry("Asia/Vladivostok", "vlast vlat"),
                Map.entry("Asia/Yakutsk", "yakst yakt"),
                Map.entry("Asia/Yekaterinburg", "yekt"),
                Map.entry("Atlantic/Stanley", "fkst fkt"),
                Map.entry("Australia/Lord_Howe", "lhdt"),
                Map.entry("Europe/Moscow", "msk"),
                Map.entry("Europe/Volgograd", "volt"),
                Map.entry("Indian/Chagos", "iot"),
                Map.entry("Pacific/Rarotonga", "ckt"),
                Map.entry("Pacific/Easter", "easst east"),
                Map.entry("Pacific/Kosrae", "kost"),
                Map.entry("Pacific/Kiritimati", "lint"),
                Map.entry("Pacific/Niue", "nut"),
                Map.entry("Pacific/Fakaofo", "tkt"));
        Map<String, String> places = new HashMap<>();
        words.forEach((place, names) -> {
            for (String name : names.split(" ")) {
                places.put(name, place);
            }
        });
        return places;
    }

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

    /// The zone that an abbreviation means wherever it is not the session's own; null for another word.
    static PgZone abbreviated(String word) {
        Integer minutes = ABBREVIATIONS.get(word);
        if (minutes != null) {
            return PgZone.of(ZoneOffset.ofTotalSeconds(minutes * 60));
        }
        String place = PLACES.get(word);
        if (place == null) {
            return null;
        }
        ZoneId zone = ZoneId.of(place);
        PgZone meaning = ZoneAbbreviations.meaning(word, zone);
        return meaning == null ? PgZone.of(zone) : meaning;
    }

    /// The rules of a name or POSIX specification in lower case, or null if there is none.
    static ZoneRules rules(String name) {
        String id = Ids.BY_LOWER_CASE.get(name);
        return id == null
                ? PosixZone.rules(name.toUpperCase(Locale.ROOT))
                : ZoneId.of(id).getRules();
    }

    /// The zone that the setting TimeZone names; null if there is none. A number counts hours east.
    ///
    /// - Errors: 0A000 for a POSIX zone that changes its offset.
    public static ZoneId ofSetting(String text) {
        String name = text.toLowerCase(Locale.ROOT);
        String id = Ids.BY_LOWER_CASE.get(name);
        if (id != null) {
            return ZoneId.of(id);
        }
        int end = PgParse.decimalEnd(text);
        if (end > 0 && end == text.length()) {
            return ofHours(Double.parseDouble(text));
        }
        ZoneRules rules = PosixZone.rules(name.toUpperCase(Locale.ROOT));
        if (rules != null && !rules.isFixedOffset()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "TimeZone \"" + text + "\" is not supported");
        }
        return rules == null ? null : rules.getOffset(java.time.Instant.EPOCH);
    }

    private static ZoneId ofHours(double hours) {
        try {
            return ZoneOffset.ofTotalSeconds((int) (hours * 3600));
        } catch (DateTimeException _) {
            return null;
        }
    }

    /// The name of a zone as SHOW has it: a POSIX specification for an offset.
    public static String shown(ZoneId zone) {
        if (!(zone instanceof ZoneOffset offset)) {
            return zone.getId();
        }
        int seconds = offset.getTotalSeconds();
        String clock = clock(Math.abs(seconds));
        return "<" + (seconds < 0 ? "-" : "+") + clock + ">" + (seconds < 0 ? "+" : "-") + clock;
    }

    private static String clock(int seconds) {
        String hours = "%02d".formatted(seconds / 3600);
        if (seconds % 3600 == 0) {
            return hours;
        }
        String minutes = hours + ":%02d".formatted(seconds / 60 % 60);
        return seconds % 60 == 0 ? minutes : minutes + ":%02d".formatted(seconds % 60);
    }
}
