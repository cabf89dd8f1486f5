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
import java.util.Set;

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
        minutes.put("msk", 180);
        return minutes;
    }

    /// Those whose offset was another at other times.
    private static final Set<String> OF_MANY_OFFSETS =
            Set.of(("amst anast anat arst art azst azt ckt clt davt easst east fkst fkt gest get gyt "
                            + "iot irkst irkt kgt kost krast krat lhdt lint lkt magst magt mawt novst novt nut "
                            + "omsst omst petst pett pyt sgt tkt tmt ulat vet vlast vlat volt yakst yakt yekt")
                    .split(" "));

    /// Those that other zones have too, or had, with their seconds there: where the session's zone is one of these, its
    /// own meaning goes first, and we do not know it.
    ///
    /// - Source: the time zone database's names of local times, those of all zones and times.
    private static final Map<String, Set<Integer>> SHARED_ABBREVIATIONS = Map.ofEntries(
            Map.entry("acst", Set.of(32_400)),
            Map.entry("amt", Set.of(-13_840, 1_172, 5_692, 9_332)),
            Map.entry("ast", Set.of(-36_000)),
            Map.entry("bdt", Set.of(-36_000)),
            Map.entry("bst", Set.of(-39_600, -12_756, -11_958)),
            Map.entry("cast", Set.of(10_800)),
            Map.entry("cdt", Set.of(-14_400, 32_400)),
            Map.entry("cst", Set.of(-18_000, 28_800)),
            Map.entry("hst", Set.of(-37_800)),
            Map.entry("ist", Set.of(2_079, 3_600, 19_800, 23_400)),
            Map.entry("kdt", Set.of(34_200)),
            Map.entry("kst", Set.of(30_600)),
            Map.entry(
                    "mmt",
                    Set.of(-20_712, -13_491, -2_670, -2_588, 6_600, 9_017, 9_079, 17_640, 19_172, 19_270, 28_656)),
            Map.entry("mpt", Set.of(-21_600)),
            Map.entry("msk", Set.of(14_400)),
            Map.entry("mst", Set.of(12_679)),
            Map.entry("ndt", Set.of(-9_052)),
            Map.entry("npt", Set.of(-36_000, -9_000)),
            Map.entry("nst", Set.of(-39_600, -12_652, 4_772)),
            Map.entry("nzst", Set.of(41_400, 45_000)),
            Map.entry("pdt", Set.of(32_400)),
            Map.entry("pst", Set.of(28_800)),
            Map.entry("pwt", Set.of(-25_200)),
            Map.entry("sast", Set.of(5_400, 10_800)),
            Map.entry("wast", Set.of(7_200)),
            Map.entry("wet", Set.of(3_600)));

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
    ///
    /// - Errors: 0A000 for one that stood for others at other times.
    static Integer minutes(String word) {
        if (OF_MANY_OFFSETS.contains(word)) {
            throw ofManyOffsets(word);
        }
        return ABBREVIATIONS.get(word);
    }

    static QueryException ofManyOffsets(String word) {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "not supported: the time zone abbreviation \"" + word.toUpperCase(Locale.ROOT)
                        + "\", which had several offsets");
    }

    /// The seconds east of UTC that an abbreviation stands for on other continents.
    static Set<Integer> elsewhere(String abbreviation) {
        return SHARED_ABBREVIATIONS.getOrDefault(abbreviation, Set.of());
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
