package dev.quarrel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// What is read out of EXPLAIN's lines.
final class PlanTreeTest {
    private static String json(String lines) {
        return new String(Json.bytes(PlanTree.json(lines.lines().toList())), StandardCharsets.UTF_8);
    }

    @Test
    void nodesFactsAndProperties() {
        String json = json("""
                Result  (rows=5)  (actual time=0.116 rows=6)
                  Device: cpu (cuda: no NVIDIA driver)
                  Spilled: 10 rows, 320 bytes to temporary files
                  Tier: compiled for 50 % of the rows
                  Time: 0.116 ms after 0.071 ms of preparation; workers 0.170 ms
                  Read: 7000 rows, 188812 bytes in 1 batches; 0 batches skipped
                  ->  Hash Join  (rows=7)
                        Hash Cond: (a: b = c)
                        ->  Seq Scan on a  (actual read=7000)
                        ->  Hash
                              ->  Seq Scan on "x: (rows=1)  (actual rows=3)
                Planning Time: 31.271 ms
                Execution Time: 18.194 ms
                """);
        assertThat(json)
                .startsWith("{\"plan\":{\"name\":\"Result\",\"expectedRows\":5,\"ms\":0.116,\"rows\":6,"
                        + "\"device\":\"cpu\",\"spilledBytes\":320,\"tier\":\"compiled for 50 % of the rows\","
                        + "\"prepareMs\":0.071,\"workersMs\":0.17,\"bytes\":188812,\"properties\":{")
                .contains("\"inputs\":[{\"name\":\"Hash Join\",\"expectedRows\":7,"
                        + "\"properties\":{\"Hash Cond\":\"(a: b = c)\"},\"inputs\":["
                        + "{\"name\":\"Seq Scan on a\",\"readRows\":7000,\"properties\":{},\"inputs\":[]},"
                        + "{\"name\":\"Hash\",\"properties\":{},\"inputs\":[{\"name\":\"Seq Scan on \\\"x: (rows=1)\"")
                .contains("\"planningMs\":31.271,\"executionMs\":18.194,\"lines\":[");
    }

    @Test
    void hostsAndWhatIsBelowThem() {
        assertThat(json("""
                ->  Append
                      Device: host (no device runs it)
                      Result  (rows=1)
                        Device: cpu (the only device)
                        ->  Hash Join  (rows=1)
                              ->  Seq Scan on $host.0  (rows=1)
                              ->  Values Scan  (rows=1)
                        $host.0
                          ->  Function Scan
                                Device: host (no device runs it)
                """))
                .contains("{\"name\":\"Append\",\"device\":\"host\"")
                .contains("\"inputs\":[{\"name\":\"Result\",\"expectedRows\":1,\"device\":\"cpu\"")
                .contains("{\"name\":\"Seq Scan on $host.0\",\"expectedRows\":1,\"properties\":{},"
                        + "\"inputs\":[{\"name\":\"Function Scan\",\"device\":\"host\"")
                .contains("\"inputs\":[]}]},{\"name\":\"Values Scan\"");
    }

    @Test
    void nothing() {
        assertThat(json("")).isEqualTo("{\"plan\":null,\"lines\":[]}");
    }
}
