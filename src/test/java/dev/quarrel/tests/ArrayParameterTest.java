package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Arrays as parameters of clients and as results for them, in text and in binary form, beside PostgreSQL.
class ArrayParameterTest {
    /// @param column of the table `types` that compares with an element; null for none
    record Sample(String type, String column, Object... elements) {}

    static Stream<Sample> samples() {
        return Stream.of(
                new Sample("int2", "i2", (short) 1, null, (short) -7),
                new Sample("int4", "i4", 1, 3, null),
                new Sample("int4", "i4"),
                new Sample("int4", null, new Integer[] {1, 2}, new Integer[] {3, null}),
                new Sample("int8", "i8", 1L, 9223372036854775807L),
                new Sample("float4", "f4", 0.5f, Float.NaN),
                new Sample("float8", "f8", 0.1, -0.0, null),
                new Sample("numeric", "n", new BigDecimal("1.50"), new BigDecimal("-3")),
                new Sample("bool", "b", true, null, false),
                new Sample("text", "t", "a", "b c", "", null, "NULL", "q\"u\\o,t{e}"),
                new Sample("varchar", "vc", "a", "zzz"),
                new Sample("date", "d", "2000-02-29", null),
                new Sample("timestamp", "ts", "2000-02-29 12:34:56.5"),
                new Sample("timestamptz", "tz", "2000-02-29 12:34:56.5+00"),
                new Sample("time", null, "12:34:56.789", "24:00"),
                new Sample("interval", null, "1 mon 2 days", "-3:00"),
                new Sample("uuid", null, new UUID(1, 2), null),
                new Sample("bytea", null, (Object[]) new byte[][] {{0, -1}, {}}));
    }

    @ParameterizedTest
    @MethodSource("samples")
    void areWhatPostgresqlTakesAndGives(Sample sample) throws SQLException {
        check(sample, "SELECT ? AS x");
        check(sample, "SELECT ? || ? AS x");
        // pgjdbc shows bytes by the number of their object.
        check(sample, "SELECT cardinality(?), (?)[1]" + (sample.type.equals("bytea") ? "::text" : ""));
        if (sample.column != null) {
            for (String test : new String[] {"= ANY", "<> ALL", "< ANY", ">= ALL"}) {
                check(sample, "SELECT count(*) FROM types WHERE " + sample.column + " " + test + " (?)");
            }
        }
    }

    private static void check(Sample sample, String sql) throws SQLException {
        for (String mode : new String[] {"prepareThreshold=-1", "prepareThreshold=0"}) {
            try (Connection oracle =
                            DriverManager.getConnection(PostgresOracle.shared().url() + "&" + mode);
                    Connection ours =
                            QuarrelServer.shared(Configuration.ALL.getFirst()).connect(mode)) {
                assertThat(answer(ours, sample, sql)).as(mode + " " + sql).isEqualTo(answer(oracle, sample, sql));
            }
        }
    }

    private static SqlAnswer answer(Connection connection, Sample sample, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int parameters = (int) sql.chars().filter(each -> each == '?').count();
            for (int parameter = 1; parameter <= parameters; parameter++) {
                statement.setArray(parameter, connection.createArrayOf(sample.type, sample.elements));
            }
            try (ResultSet rows = statement.executeQuery()) {
                return SqlAnswer.read(rows);
            }
        } catch (SQLException failure) {
            return SqlAnswer.of(failure);
        }
    }
}
