package dev.quarrel.core.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.QueryException;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Reads and writes; the expected texts are PostgreSQL's. The exporter's tests compare many more with a server.
final class PgTextTest {
    private static final PgParse.Moment BERLIN =
            new PgParse.Moment(ZoneId.of("Europe/Berlin"), Instant.parse("2024-03-01T22:59:59.5Z"));

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "boolean; ` YES `; t",
                "boolean; off; f",
                "smallint; ` -32768 `; -32768",
                "integer; 0x_ff; 255",
                "bigint; 9_223_372_036_854_775_807; 9223372036854775807",
                "oid; -1; 4294967295",
                "real; 0.1; 0.1",
                "real; 1000000; 1e+06",
                "double precision; 1e15; 1e+15",
                "double precision; 123456789012345; 123456789012345",
                "double precision; 0.0001; 0.0001",
                "double precision; 0.00001; 1e-05",
                "double precision; -0; -0",
                "double precision; -inf; -Infinity",
                "double precision; nan; NaN",
                "double precision; 5e-324; 5e-324",
                "numeric; 1.50; 1.50",
                "numeric; 1.5e-3; 0.0015",
                "numeric; 12e2; 1200",
                "numeric(5,1); -0.05; -0.1",
                "numeric(5,1); 0.04; 0.0",
                "numeric(3,-2); 12345; 12300",
                "date; 2024-02-29; 2024-02-29",
                "date; January 8, 99 BC; 0099-01-08 BC",
                "date; 10000-01-01; 10000-01-01",
                "date; infinity; infinity",
                "date; tomorrow; 2024-03-02",
                "timestamp; 2024-02-29T12:34:56.7890; 2024-02-29 12:34:56.789",
                "timestamp(1); 1999-12-31 23:59:59.95; 1999-12-31 23:59:59.9",
                "timestamptz; 2024-07-01 12:00; 2024-07-01 10:00:00+00",
                "timestamptz; 2024-07-01 12:00 America/New_York; 2024-07-01 16:00:00+00",
                "timestamptz; 2024-03-31 02:30; 2024-03-31 01:30:00+00",
                "timestamptz; 2024-10-27 02:30; 2024-10-27 01:30:00+00",
                "timestamptz; now; 2024-03-01 22:59:59.5+00",
                "timestamptz; 0044-03-15 00:00+00 BC; 0044-03-15 00:00:00+00 BC",
                "character varying(3); äöüß; äöü",
                "character(4); ab; `ab  `",
                "text; ` x `; ` x `",
            })
    void textIsReadAndWrittenAsPostgresDoes(String type, String text, String expected) {
        Literal literal = PgParse.literal(text, PgType.parse(type), BERLIN);
        assertThat(PgText.text(literal)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "boolean; maybe; 22P02; invalid input syntax for type boolean: \"maybe\"",
                "integer; x; 22P02; invalid input syntax for type integer: \"x\"",
                "integer; ``; 22P02; invalid input syntax for type integer: \"\"",
                "integer; 2147483648; 22003; value \"2147483648\" is out of range for type integer",
                "smallint; -32769; 22003; value \"-32769\" is out of range for type smallint",
                "real; 1e39; 22003; \"1e39\" is out of range for type real",
                "double precision; 1,5; 22P02; invalid input syntax for type double precision: \"1,5\"",
                "numeric; 1.2.3; 22P02; invalid input syntax for type numeric: \"1.2.3\"",
                "numeric(3,1); 100; 22003; numeric field overflow",
                "numeric; 1e38; 22003; numeric \"1e38\" has more than 38 digits",
                "numeric; -NaN; 22P02; invalid input syntax for type numeric: \"-NaN\"",
                "numeric(3,1); NaN; 0A000; not supported: NaN of type numeric(3,1)",
                "numeric(3,1); inf; 22003; numeric field overflow",
                "date; x; 22007; invalid input syntax for type date: \"x\"",
                "date; 2023-02-29; 22008; date/time field value out of range: \"2023-02-29\"",
                "timestamp; 2024-01-01 25:00; 22008; date/time field value out of range: \"2024-01-01 25:00\"",
                "timestamptz; 2024-01-01 12:00+17; 22009; time zone displacement out of range: \"2024-01-01 12:00+17\"",
                "timestamptz; 2024-01-01 12:00 Mars/Base; 22023; time zone \"mars/base\" not recognized",
            })
    void errorsAreWordedAsPostgresWordsThem(String type, String text, String state, String message) {
        assertThatThrownBy(() -> PgParse.literal(text, PgType.parse(type), BERLIN))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state().code()).isEqualTo(state))
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1970-01-01 00:00:00+00",
        "19800, 1970-01-01 05:30:00+05:30",
        "-10800, 1969-12-31 21:00:00-03",
        "1172, 1970-01-01 00:19:32+00:19:32"
    })
    void zonesAreWrittenAsShortAsTheyCanBe(int offsetSeconds, String expected) {
        TextBuffer out = new TextBuffer();
        PgText.appendTimestampTz(0, offsetSeconds, out);
        assertThat(out).hasToString(expected);
    }
}
