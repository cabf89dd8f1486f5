package dev.quarrel.core.pg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.type.CivilDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PgZoneTest {
    private static long micros(LocalDateTime time) {
        return time.toEpochSecond(ZoneOffset.UTC) * CivilDate.MICROS_PER_SECOND + time.getNano() / 1000;
    }

    /// Pacific/Apia skipped a day, America/Caracas half an hour; Europe/Berlin's year 2999 is beyond what is held.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Europe/Berlin",
                "America/New_York",
                "Asia/Kolkata",
                "Australia/Lord_Howe",
                "Pacific/Apia",
                "America/Caracas",
                "Pacific/Chatham"
            })
    void whatClocksSkipIsShownWhenTheySkipIt(String name) {
        ZoneId id = ZoneId.of(name);
        PgZone zone = PgZone.of(id);
        for (int year : new int[] {1995, 2011, 2016, 2024, 2035, 2999}) {
            LocalDateTime time = LocalDateTime.of(year, 1, 1, 0, 0);
            for (int quarter = 0; quarter < 366 * 24 * 4; quarter++, time = time.plusMinutes(15)) {
                LocalDateTime odd = time.plusNanos(1_000);
                ZoneOffsetTransition skipped = id.getRules().getTransition(odd);
                boolean isGap = skipped != null && skipped.isGap();
                long shown = zone.toShownInstant(micros(odd));
                assertThat(shown)
                        .as(name + " " + odd)
                        .isEqualTo(
                                isGap
                                        ? skipped.toEpochSecond() * CivilDate.MICROS_PER_SECOND
                                        : zone.toInstant(micros(odd)));
            }
        }
        assertThat(zone.toShownInstant(CivilDate.TIMESTAMP_INFINITY)).isEqualTo(CivilDate.TIMESTAMP_INFINITY);
    }
}
