package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.cuda.host.HostProvider;
import dev.quarrel.samples.ssb.SsbQueries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// The 13 queries of the Star Schema Benchmark on PostgreSQL's rows and on the same rows exported: text, order
/// and types agree.
class SsbTest {
    @TestFactory
    Stream<DynamicTest> thirteenQueriesAgree() {
        return SsbQueries.NAMES.stream()
                .map(name -> DynamicTest.dynamicTest(name, () -> {
                    String sql = SsbQueries.sql(name);
                    for (Configuration configuration : Configuration.ALL) {
                        // A tile of one row over a fact table takes long and shows nothing that the small tables do
                        // not.
                        if (configuration.tileRows() == 1) {
                            continue;
                        }
                        try (Connection oracle = SsbData.shared().postgres();
                                Connection quarrel = SsbData.shared().quarrel(configuration)) {
                            SqlAnswer right = SqlAnswer.of(oracle, sql);
                            long before = launches(configuration);
                            assertThat(SqlAnswer.of(quarrel, sql)).isEqualTo(right);
                            if (!configuration.providers().isEmpty()) {
                                assertThat(launches(configuration)).isGreaterThan(before);
                            }
                            assertThat(prepared(quarrel, sql)).isEqualTo(right);
                            // Queries 3.3 and 3.4 look for pairs of cities that so few rows need not have.
                            if (!name.equals("3.3") && !name.equals("3.4")) {
                                assertThat(((SqlAnswer.Rows) right).rows()).isNotEmpty();
                            }
                        }
                    }
                }));
    }

    private static long launches(Configuration configuration) {
        return configuration.providers().stream()
                .mapToLong(provider -> ((HostProvider) provider).launches())
                .sum();
    }

    /// Over the extended protocol, often enough that the driver switches to binary results.
    private static SqlAnswer prepared(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setFetchSize(100);
            SqlAnswer answer = null;
            for (int run = 0; run < 7; run++) {
                try (ResultSet rows = statement.executeQuery()) {
                    answer = SqlAnswer.read(rows);
                }
            }
            return answer;
        }
    }

    @TestFactory
    Stream<DynamicTest> countsAgree() {
        return List.of("lineorder", "customer", "supplier", "part", "date").stream()
                .map(table -> DynamicTest.dynamicTest(table, () -> {
                    String sql = "SELECT count(*) FROM " + table;
                    try (Connection oracle = SsbData.shared().postgres();
                            Connection quarrel = SsbData.shared().quarrel(Configuration.ALL.get(1))) {
                        assertThat(SqlAnswer.of(quarrel, sql)).isEqualTo(SqlAnswer.of(oracle, sql));
                    }
                }));
    }
}
