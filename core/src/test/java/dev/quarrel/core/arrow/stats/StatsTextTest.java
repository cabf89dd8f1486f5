package dev.quarrel.core.arrow.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.RandomBatch;
import dev.quarrel.core.arrow.dataset.FileName;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.ValueOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatsTextTest {
    /// The texts are what PostgreSQL 15 prints for these values, in UTC.
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "date, 0, 1970-01-01",
                "date, -719163, 0001-12-31 BC",
                "date, -2440588, 4714-11-24 BC",
                "date, 2932897, 10000-01-01",
                "date, 2147483647, infinity",
                "date, -2147483648, -infinity",
                "timestamp, 0, 1970-01-01 00:00:00",
                "timestamp, -1, 1969-12-31 23:59:59.999999",
                "timestamp, 1500000, 1970-01-01 00:00:01.5",
                "timestamp, -62135596800000001, 0001-12-31 23:59:59.999999 BC",
                "timestamptz, 1700000000000000, 2023-11-14 22:13:20+00",
                "timestamptz, -62135596800000001, 0001-12-31 23:59:59.999999+00 BC",
                "timestamptz, 9223372036854775807, infinity",
                "int16, -32768, -32768",
            })
    void formatsAndParsesLikePostgres(String type, long value, String text) {
        assertThat(StatsText.format(DataType.parse(type), value)).isEqualTo(text);
        assertThat(StatsText.parse(DataType.parse(type), text)).isEqualTo(value);
    }

    @Test
    void everyValueSurvivesItsText() {
        Random random = new Random(3);
        for (DataType type : List.of(
                DataType.BOOL,
                DataType.INT16,
                DataType.INT32,
                DataType.INT64,
                DataType.FLOAT32,
                DataType.FLOAT64,
                new DataType.Decimal(38, 5),
                DataType.DATE,
                DataType.TIMESTAMP,
                DataType.TIMESTAMPTZ,
                DataType.UUID,
                DataType.BINARY,
                DataType.UTF8)) {
            for (int round = 0; round < 300; round++) {
                Object value = RandomBatch.value(type, random);
                assertThat(StatsText.parse(type, StatsText.format(type, value)))
                        .as("%s %s", type, value)
                        .isEqualTo(value);
            }
            assertThat(StatsText.parse(type, type.equals(DataType.UTF8) ? "x" : "no value\\"))
                    .isEqualTo(type.equals(DataType.UTF8) ? "x" : null);
        }
    }

    @Test
    void longBoundsAreCutAndStayBounds() {
        String ascii = "z".repeat(100);
        String last = "a" + "\uDBFF\uDFFF".repeat(30);
        String beforeSurrogates = "\uD7FF".repeat(30);
        for (String text : List.of(ascii, last, beforeSurrogates, "é".repeat(50), "short")) {
            String low = StatsText.lowerBound(text);
            String high = StatsText.upperBound(text);
            assertThat(ValueOrder.compare(low, text)).isLessThanOrEqualTo(0);
            assertThat(ValueOrder.compare(high, text)).isGreaterThanOrEqualTo(0);
            assertThat(high.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(66);
        }
        assertThat(StatsText.upperBound(last)).isEqualTo("b");
        assertThat(StatsText.upperBound("\uDBFF\uDFFF".repeat(30))).isNull();
        byte[] bytes = new byte[100];
        Arrays.fill(bytes, (byte) -1);
        assertThat(StatsText.upperBound(Bytes.of(bytes))).isNull();
        bytes[3] = 0x7F;
        Bytes value = Bytes.of(bytes);
        assertThat(StatsText.upperBound(value)).hasToString("\\xffffff80");
        assertThat(StatsText.lowerBound(value)).isLessThan(value);
        assertThat(StatsText.lowerBound(value).length()).isEqualTo(64);
    }

    @Test
    void namesSurviveTheFileSystem() {
        for (String name :
                List.of("plain", "a/b", "a\\b", "100%", "%41", "_x", ".x", "x.tmp", "tab\tname", "Grüße", "a=b")) {
            String encoded = FileName.encode(name);
            assertThat(FileName.decode(encoded)).isEqualTo(name);
            assertThat(FileName.isHidden(encoded)).as(encoded).isFalse();
            assertThat(encoded).doesNotContain("/", "\\", "\t");
        }
        assertThat(FileName.decode("50% off")).isEqualTo("50% off");
    }
}
