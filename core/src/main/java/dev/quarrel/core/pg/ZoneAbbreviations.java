package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/// What the clocks of time zones were called at every time: CET, then CEST. Java does not know.
///
/// They come from a file of this package: a line has the names of zones of one history, a tab, and its entries, such as
/// `-942012000:3600=CET`: from that second on the clocks are called so whenever they show that offset. An entry
/// without a second holds from the beginning.
///
/// - Source: the time zone database, as PostgreSQL has it.
public final class ZoneAbbreviations {
    /// The tests make it of what PostgreSQL answers.
    private static final String FILE = "zone-abbreviations.tsv";

    private static final Map<String, ZoneAbbreviations> HISTORIES = new ConcurrentHashMap<>();

    /// An entry of the file.
    private record Use(long since, int offset, String name) {}

    private static final class Lines {
        static final Map<String, String> BY_ID = read();

        private static Map<String, String> read() {
            Map<String, String> lines = new HashMap<>();
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                    Objects.requireNonNull(ZoneAbbreviations.class.getResourceAsStream(FILE)),
                    StandardCharsets.US_ASCII))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    int tab = line.indexOf('\t');
                    for (String id : line.substring(0, tab).split(" ")) {
                        lines.put(id, line.substring(tab + 1));
                    }
                }
            } catch (IOException problem) {
                throw new UncheckedIOException(problem);
            }
            return lines;
        }
    }

    private final PgZone zone;
    /// Seconds at which the offset or the name of the same index begins.
    private final long[] begins;
    private final int[] offsets;
    private final String[] names;

    private ZoneAbbreviations(PgZone zone, List<Use> uses) {
        this.zone = zone;
        this.begins = LongStream.concat(zone.begins(), uses.stream().mapToLong(Use::since))
                .sorted()
                .distinct()
                .toArray();
        this.offsets = Arrays.stream(begins).mapToInt(zone::offsetAt).toArray();
        this.names = new String[begins.length];
        for (int index = 0; index < names.length; index++) {
            names[index] = name(uses, begins[index], offsets[index]);
        }
    }

    private static String name(List<Use> uses, long second, int offset) {
        return uses.reversed().stream()
                .filter(use -> use.offset() == offset && use.since() <= second)
                .findFirst()
                .map(Use::name)
                .orElse(null);
    }

    /// The names of a zone's clocks; null for a zone of which none are known.
    private static ZoneAbbreviations of(ZoneId zone) {
        String line = zone instanceof ZoneOffset ? null : Lines.BY_ID.get(zone.getId());
        return line == null ? null : HISTORIES.computeIfAbsent(zone.getId(), _ -> parse(zone, line));
    }

    private static ZoneAbbreviations parse(ZoneId zone, String line) {
        List<Use> uses = new ArrayList<>();
        for (String entry : line.split(" ")) {
            int colon = entry.indexOf(':');
            int equals = entry.indexOf('=');
            uses.add(new Use(
                    colon < 0 ? Long.MIN_VALUE : Long.parseLong(entry.substring(0, colon)),
                    Integer.parseInt(entry.substring(colon + 1, equals)),
                    entry.substring(equals + 1)));
        }
        return new ZoneAbbreviations(PgZone.of(zone), uses);
    }

    /// What a zone's clocks are called at a time, in microseconds since 1970.
    ///
    /// - Errors: 0A000 for a zone, or a time, of which it is not known.
    public static String of(ZoneId zone, long micros) {
        if (zone.equals(ZoneOffset.UTC)) {
            return "UTC";
        }
        ZoneAbbreviations history = of(zone);
        String name = history == null ? null : history.nameAt(Math.floorDiv(micros, 1_000_000L));
        if (name == null) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: the abbreviation of the time zone " + ZoneNames.shown(zone) + " at "
                            + Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L)));
        }
        return name;
    }

    /// Zones whose law, and so PostgreSQL, takes the later clock for the standard and the other for saving; Java has it
    /// the other way round. With the seconds east of UTC that the clock shows when it saves.
    private static final Map<String, Integer> WINTER_IS_SAVING = Map.of(
            "Africa/Casablanca", 0, "Africa/El_Aaiun", 0, "Africa/Windhoek", 3600, "Eire", 0, "Europe/Dublin", 0);

    /// What the clocks of a zone show at a time.
    ///
    /// @param offsetSeconds east of UTC
    public record Clock(String zone, String abbreviation, int offsetSeconds, boolean isDaylightSaving) {}

    /// The zones whose clocks' names are known, in the order of their names, at a time.
    public static List<Clock> clocks(Instant instant) {
        List<Clock> clocks = new ArrayList<>();
        for (String id : new TreeSet<>(Lines.BY_ID.keySet())) {
            ZoneRules rules = ZoneNames.rules(id.toLowerCase(Locale.ROOT));
            String name = rules == null ? null : of(ZoneId.of(id)).nameAt(instant.getEpochSecond());
            if (name != null) {
                int offset = rules.getOffset(instant).getTotalSeconds();
                Integer winter = WINTER_IS_SAVING.get(id);
                boolean isSaving = winter == null ? rules.isDaylightSavings(instant) : offset == winter;
                clocks.add(new Clock(id, name, offset, isSaving));
            }
        }
        return clocks;
    }

    private String nameAt(long epochSecond) {
        int found = Arrays.binarySearch(begins, zone.inArray(epochSecond));
        return names[found >= 0 ? found : -found - 2];
    }

    /// The zone that an abbreviation in lower case means where a zone's clocks were ever called so: at each time what
    /// it meant last, or else what it means next. null where they never were.
    static PgZone meaning(String word, ZoneId zone) {
        ZoneAbbreviations history = of(zone);
        return history == null ? null : history.meaning(word.toUpperCase(Locale.ROOT));
    }

    private PgZone meaning(String name) {
        int first = Arrays.asList(names).indexOf(name);
        if (first < 0) {
            return null;
        }
        int[] meant = new int[names.length];
        int last = offsets[first];
        for (int index = 0; index < names.length; index++) {
            last = name.equals(names[index]) ? offsets[index] : last;
            meant[index] = last;
        }
        return zone.withOffsets(begins, meant);
    }
}
