package dev.quarrel.ingest.intake;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/// Times in ISO 8601's extended form, with `T` or a blank; without a zone they are of UTC.
public final class IsoTime {
    /// No time.
    public static final long NONE = Long.MIN_VALUE;

    private static final int MOST_BYTES = 40;

    private IsoTime() {}

    /// Microseconds since 1970, or [#NONE].
    public static long micros(byte[] bytes, int start, int length) {
        return length > MOST_BYTES ? NONE : micros(new String(bytes, start, length, StandardCharsets.UTF_8));
    }

    public static long micros(String text) {
        try {
            String iso = text.strip();
            if (iso.length() > 10 && iso.charAt(10) == ' ') {
                iso = iso.substring(0, 10) + "T" + iso.substring(11);
            }
            if (iso.length() == 10) {
                return micros(LocalDate.parse(iso).atStartOfDay().toInstant(ZoneOffset.UTC));
            }
            if (iso.matches(".*[+-]\\d\\d")) {
                iso += ":00";
            } else if (iso.matches(".*[+-]\\d{4}")) {
                iso = iso.substring(0, iso.length() - 2) + ":" + iso.substring(iso.length() - 2);
            }
            boolean isZoned = iso.endsWith("Z") || iso.lastIndexOf('+') > 10 || iso.lastIndexOf('-') > 10;
            return micros(
                    isZoned
                            ? OffsetDateTime.parse(iso).toInstant()
                            : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException | ArithmeticException _) {
            return NONE;
        }
    }

    private static long micros(Instant instant) {
        int year = instant.atOffset(ZoneOffset.UTC).getYear();
        // The microsecond that the time is in, before 1970 as after.
        return year < 1 || year > 9999 ? NONE : instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
    }
}
