package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Steps of time in zones whose clocks change, against a count minute by minute: each step is one row at a time of its
/// own, also one that begins at a time that clocks skip.
class ZonedStepsTest {
    private static final int[] WIDTHS = {15, 45, 60, 90, 120, 1440}; // minutes
    private static final int[] OFFSETS = {0, -45, 150}; // minutes
    private static final int DAYS = 3;
    private static final int ROW_MINUTES = 5;

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 2024-03-31",
        "Europe/Berlin, 2024-10-27",
        "America/New_York, 2024-03-10",
        "America/New_York, 2024-11-03",
        "Asia/Kolkata, 2024-03-31",
        "Australia/Lord_Howe, 2024-10-06",
        "Australia/Lord_Howe, 2024-04-07",
        "Pacific/Apia, 2011-12-30"
    })
    void stepsAreRowsAtTimesOfTheirOwn(String zone, String day, @TempDir Path folder) throws SQLException {
        Instant from = Instant.parse(day + "T00:00:00Z").minusSeconds(DAYS * 43_200L);
        try (QuarrelServer server = QuarrelServer.start(DatasetCatalog.open(folder), Configuration.ALL.getFirst());
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (int width : WIDTHS) {
                for (int offset : OFFSETS) {
                    Steps steps = new Steps(ZoneId.of(zone), from, width, offset);
                    for (boolean isFilled : new boolean[] {false, true}) {
                        int every = isFilled ? 41 : 1; // rows that are few, so that steps are filled
                        for (String query : queries(steps, zone, every, isFilled)) {
                            assertThat(rows(statement, query)).as(query).isEqualTo(steps.counts(every, isFilled));
                        }
                    }
                }
            }
        }
    }

    private static List<String> queries(Steps steps, String zone, int every, boolean isFilled) {
        List<String> queries = new ArrayList<>();
        String type = steps.offset < 0 ? "timestamp" : "timestamptz";
        queries.add("WITH r AS (" + rowsOf(type, steps, every)
                + ") SELECT extract(epoch FROM ts)::bigint, c FROM (SELECT ts, count(*) AS c FROM r SAMPLE BY "
                + steps.width + "m " + (isFilled ? "FILL(NULL) " : "") + "ALIGN TO CALENDAR TIME ZONE '" + zone
                + "' WITH OFFSET '" + (steps.offset < 0 ? "-" : "")
                + "%02d:%02d".formatted(Math.abs(steps.offset) / 60, Math.abs(steps.offset) % 60)
                + "') s ORDER BY ts");
        if (isFilled) {
            queries.add("SELECT extract(epoch FROM b)::bigint, c FROM (SELECT time_bucket_gapfill('" + steps.width
                    + " minutes', ts, '" + zone + "', '" + text(steps.from) + "'::timestamptz, '"
                    + text(steps.lastRow(every).plusSeconds(1)) + "'::timestamptz, '" + text(steps.origin())
                    + "'::timestamptz) AS b, count(*) AS c FROM (" + rowsOf("timestamptz", steps, every)
                    + ") r GROUP BY 1) s ORDER BY b");
        }
        return queries;
    }

    private static String rowsOf(String type, Steps steps, int every) {
        return "SELECT " + type + " '" + text(steps.from) + "' + n * interval '" + ROW_MINUTES
                + " minutes' AS ts FROM generate_series(0, " + (steps.rowCount() - 1) + ", " + every + ") n";
    }

    private static String text(Instant time) {
        return time.toString().replace('T', ' ').replace("Z", "+00");
    }

    private static List<String> rows(Statement statement, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (ResultSet found = statement.executeQuery(query)) {
            while (found.next()) {
                rows.add(Instant.ofEpochSecond(found.getLong(1)) + " " + found.getString(2));
            }
        }
        return rows;
    }

    /// The steps that minutes are in, one by one.
    ///
    /// @param width minutes
    /// @param offset minutes
    private record Steps(ZoneId zone, Instant from, int width, int offset) {
        int rowCount() {
            return DAYS * 1440 / ROW_MINUTES;
        }

        Instant lastRow(int every) {
            return from.plusSeconds((rowCount() - 1) / every * every * ROW_MINUTES * 60L);
        }

        /// The number of the step that a time's clocks show.
        long of(Instant time) {
            return Math.floorDiv(minute(time) - offset, (long) width);
        }

        private long minute(Instant time) {
            return LocalDateTime.ofInstant(time, zone).toEpochSecond(ZoneOffset.UTC) / 60;
        }

        Instant origin() {
            return LocalDateTime.ofEpochSecond(offset * 60L, 0, ZoneOffset.UTC)
                    .atZone(zone)
                    .toInstant();
        }

        /// The rows of each step that is there, as `begin count`.
        ///
        /// @param isFilled also of those without rows
        List<String> counts(int every, boolean isFilled) {
            // Each begins when clocks last show its begin, or else when they skip it.
            TreeMap<Long, Instant> begins = new TreeMap<>();
            Instant end = lastRow(every);
            for (Instant time = from.minusSeconds(3 * 86_400); !time.isAfter(end); time = time.plusSeconds(60)) {
                long step = of(time);
                boolean isBegin = minute(time) == step * width + offset;
                if (isBegin || of(time.minusSeconds(60)) < step) {
                    begins.put(step, time);
                }
            }
            TreeMap<Long, Integer> counts = new TreeMap<>();
            for (int row = 0; row < rowCount(); row += every) {
                counts.merge(of(from.plusSeconds(row * ROW_MINUTES * 60L)), 1, Integer::sum);
            }
            List<String> rows = new ArrayList<>();
            for (long step : isFilled
                    ? begins.subMap(counts.firstKey(), true, counts.lastKey(), true)
                            .keySet()
                    : counts.keySet()) {
                rows.add(begins.get(step) + " " + counts.get(step));
            }
            return rows;
        }
    }
}
