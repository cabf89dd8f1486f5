package dev.quarrel.core.format;

import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import java.time.ZoneId;

/// A timestamp or interval in its fields, as formats ask for them.
public final class BrokenTime {
    /// 0 is 1 BC.
    int year;
    int month;
    int day;
    long hour;
    int minute;
    int second;
    int micros;
    /// Sunday is 0.
    int weekday;
    int dayOfYear;
    boolean isInterval;
    /// Seconds east of UTC.
    int offset;
    long instant;
    ZoneId zone;

    /// @param newZone null for a timestamp without one, and so `id`
    public void set(long newInstant, PgZone newZone, ZoneId id) {
        zone = id;
        instant = newInstant;
        isInterval = false;
        long local = newZone == null ? newInstant : newZone.toLocal(newInstant);
        offset = (int) ((local - newInstant) / CivilDate.MICROS_PER_SECOND);
        long days = CivilDate.dayOf(local);
        long packed = CivilDate.fromDays(days);
        year = (int) CivilDate.yearOf(packed);
        month = CivilDate.monthOf(packed);
        day = CivilDate.dayOfMonthOf(packed);
        setClock(local - days * CivilDate.MICROS_PER_DAY);
        weekday = Math.floorMod(days + 4, 7);
        dayOfYear = (int) (days - CivilDate.toDays(year, 1, 1)) + 1;
    }

    private void setClock(long time) {
        hour = time / 3_600_000_000L;
        minute = (int) (time / 60_000_000 % 60);
        second = (int) (time / 1_000_000 % 60);
        micros = (int) (time % 1_000_000);
    }

    public void set(Interval span) {
        isInterval = true;
        zone = null;
        year = span.months() / 12;
        month = span.months() % 12;
        day = span.days();
        setClock(span.micros());
        dayOfYear = span.months() * 30 + day;
    }
}
