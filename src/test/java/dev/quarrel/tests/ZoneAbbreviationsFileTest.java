package dev.quarrel.tests;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The file of what the clocks of time zones were called, made of PostgreSQL's time zone files. With `-Dupdate=true`
/// it is written anew.
///
/// - Source: RFC 8536 (TZif).
class ZoneAbbreviationsFileTest {
    private static final Path FILE =
            FunctionCatalogTest.ROOT.resolve("core/src/main/resources/dev/quarrel/core/pg/zone-abbreviations.tsv");

    @Test
    void itIsWhatPostgresqlHas() throws IOException {
        Path zones = Path.of(FunctionCatalogTest.query("SELECT setting FROM pg_config WHERE name = 'SHAREDIR'")
                        .getFirst())
                .resolve("timezone");
        Map<String, List<String>> idsByHistory = new TreeMap<>();
        for (String id : FunctionCatalogTest.query("SELECT name FROM pg_timezone_names")) {
            if (ZoneId.getAvailableZoneIds().contains(id)) {
                idsByHistory
                        .computeIfAbsent(history(Files.readAllBytes(zones.resolve(id))), _ -> new ArrayList<>())
                        .add(id);
            }
        }
        List<String> lines = idsByHistory.entrySet().stream()
                .map(entry ->
                        String.join(" ", entry.getValue().stream().sorted().toList()) + "\t" + entry.getKey())
                .sorted()
                .toList();
        FunctionCatalogTest.require(FILE, lines);
    }

    /// A name, and the offset that it is one of.
    private record LocalTime(int offset, String name) {}

    /// Entries that say more than those before them.
    private static String history(byte[] file) {
        ByteBuffer header = ByteBuffer.wrap(file, 20, 24);
        int[] counts = counts(header);
        // Behind the data of 32 bits comes the same of 64.
        int second = 44 + counts[3] * 5 + counts[4] * 6 + counts[5] + counts[2] * 8 + counts[1] + counts[0];
        ByteBuffer data = ByteBuffer.wrap(file, second + 20, file.length - second - 20);
        counts = counts(data);
        long[] times = new long[counts[3]];
        for (int index = 0; index < times.length; index++) {
            times[index] = data.getLong();
        }
        byte[] types = new byte[times.length];
        data.get(types);
        int texts = data.position() + counts[4] * 6;
        List<LocalTime> localTimes = new ArrayList<>();
        for (int index = 0; index < counts[4]; index++) {
            int offset = data.getInt();
            data.get();
            int start = texts + (data.get() & 0xff);
            int end = start;
            while (file[end] != 0) {
                end++;
            }
            localTimes.add(new LocalTime(offset, new String(file, start, end - start, StandardCharsets.US_ASCII)));
        }
        Map<Integer, String> names = new HashMap<>();
        List<String> entries = new ArrayList<>();
        add(localTimes.getFirst(), "", names, entries);
        for (int index = 0; index < times.length; index++) {
            add(localTimes.get(types[index]), times[index] + ":", names, entries);
        }
        return String.join(" ", entries);
    }

    private static void add(LocalTime time, String since, Map<Integer, String> names, List<String> entries) {
        if (!time.name().equals(names.put(time.offset(), time.name()))) {
            entries.add(since + time.offset() + "=" + time.name());
        }
    }

    private static int[] counts(ByteBuffer header) {
        int[] counts = new int[6];
        for (int index = 0; index < counts.length; index++) {
            counts[index] = header.getInt();
        }
        return counts;
    }
}
