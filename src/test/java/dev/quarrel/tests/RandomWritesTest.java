package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Random conversations that make, change and drop tables, in transactions and out of them, on PostgreSQL and on
/// Quarrel: each answer must agree, and what another session sees whenever no transaction is open.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class RandomWritesTest {
    private static final String OBJECT_IN_USE = "55006";
    private static final int STATEMENTS = 60;

    @TempDir
    private Path root;

    @Test
    void tablesAreWhatTheyAreOnPostgresql() throws Exception {
        compare(Integer.getInteger("count", 12), Long.getLong("quarrel.seed", 20_261_128));
    }

    @Test
    @Tag("nightly")
    void tablesAreWhatTheyAreOnPostgresqlForLong() throws Exception {
        compare(Integer.getInteger("count", 400), Long.getLong("quarrel.seed", System.nanoTime()));
    }

    /// Several statements are one transaction, as a text and before one Sync: what they change, and what they say.
    @Test
    void statementsTogetherAreOneTransaction() throws Exception {
        long seed = Long.getLong("quarrel.seed", 20_261_129);
        compare(Integer.getInteger("count", 8), seed, (database, port, index) -> {
            try (RawClient oracle = new RawClient(PostgresOracle.shared().port(), "postgres", database);
                    RawClient second = new RawClient(PostgresOracle.shared().port(), "postgres", database);
                    RawClient quarrel = new RawClient(port, "analyst", "quarrel");
                    RawClient reader = new RawClient(port, "analyst", "quarrel")) {
                return converseInGroups(
                        new Random(seed + index), oracle, second, quarrel, reader, "seed " + (seed + index));
            }
        });
    }

    private static int converseInGroups(
            Random random, RawClient oracle, RawClient second, RawClient quarrel, RawClient reader, String seed)
            throws IOException {
        RandomWrites writes = new RandomWrites(random);
        List<String> said = new ArrayList<>();
        int done = 0;
        for (int index = 0; index < STATEMENTS; index++) {
            List<String> group = new ArrayList<>();
            if (index == 0) {
                group.addAll(RandomWrites.FIRST);
            }
            for (int left = index == 0 ? 0 : 1 + random.nextInt(4); left > 0; left--) {
                group.add(random.nextInt(6) == 0 ? writes.other() : writes.next());
            }
            List<String> right;
            List<String> ours;
            if (random.nextBoolean()) {
                String text = String.join("; ", group);
                said.add(text);
                right = oracle.query(text);
                ours = quarrel.query(text);
            } else {
                boolean flushes = random.nextInt(4) == 0;
                said.add("pipeline" + (flushes ? ", flushed " : " ") + group);
                right = oracle.pipeline(group, flushes);
                ours = quarrel.pipeline(group, flushes);
            }
            if (right.contains("E " + OBJECT_IN_USE) && !right.equals(ours)) {
                return done; // there an open cursor keeps its table from changes; here it has the files as they were
            }
            agree(right, ours, said, seed);
            done += right.stream().anyMatch(line -> line.startsWith("E")) ? 0 : 1;
            String look = writes.look();
            said.add(look);
            if (right.getLast().equals("Z I")) {
                agree(second.query(look), reader.query(look), said, seed);
            } else {
                agree(oracle.query(look), quarrel.query(look), said, seed);
            }
        }
        return done;
    }

    private static void agree(List<String> right, List<String> ours, List<String> said, String seed) {
        assertThat(ours).as("%s%n%s", seed, String.join(";\n", said)).isEqualTo(right);
    }

    /// One conversation.
    private interface Conversation {
        /// @return how many of its steps were no error
        int run(String database, int port, int index) throws Exception;
    }

    private void compare(int count, long seed) throws Exception {
        compare(count, seed, (database, port, index) -> {
            try (Connection oracle = connect(PostgresOracle.shared().port(), "postgres", database);
                    Connection second = connect(PostgresOracle.shared().port(), "postgres", database);
                    Connection quarrel = connect(port, "analyst", "quarrel");
                    Connection reader = connect(port, "analyst", "quarrel")) {
                return converse(new Random(seed + index), oracle, second, quarrel, reader, "seed " + (seed + index));
            }
        });
    }

    private void compare(int count, long seed, Conversation conversation) throws Exception {
        System.out.println("RandomWritesTest -Dquarrel.seed=" + seed);
        EngineConfig config = SystemCatalog.install(
                EngineConfig.defaults().withThreads(2).withWrites(new WriteAccess(true, List.of())), List.of());
        int done = 0;
        for (int index = 0; index < count; index++) {
            String database = "random_writes" + System.nanoTime();
            PostgresOracle.shared().run("create database " + database);
            Path folder = Files.createDirectory(root.resolve("d" + index));
            try (Engine engine = LocalEngine.open(DatasetCatalog.open(folder), config)) {
                Server server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0));
                try {
                    done += conversation.run(database, server.address().getPort(), index);
                } finally {
                    server.stop();
                }
            }
            PostgresOracle.shared().run("drop database " + database);
        }
        System.out.println(done + " of " + count * STATEMENTS + " without an error");
    }

    private static Connection connect(int port, String user, String database) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + user);
    }

    private static int converse(
            Random random, Connection oracle, Connection second, Connection quarrel, Connection reader, String seed) {
        RandomWrites writes = new RandomWrites(random);
        List<String> said = new ArrayList<>();
        int done = 0;
        boolean isOpen = false;
        for (int index = 0; index < STATEMENTS; index++) {
            String sql = index < RandomWrites.FIRST.size() ? RandomWrites.FIRST.get(index) : writes.next();
            said.add(sql);
            SqlAnswer right = SqlAnswer.of(oracle, sql);
            SqlAnswer ours = SqlAnswer.of(quarrel, sql);
            agree(right, ours, said, seed);
            done += right instanceof SqlAnswer.Failure ? 0 : 1;
            isOpen = sql.equals("begin") || isOpen && !sql.equals("commit") && !sql.equals("rollback");
            String look = writes.look();
            said.add(look);
            if (isOpen) {
                agree(SqlAnswer.of(oracle, look), SqlAnswer.of(quarrel, look), said, seed);
            } else {
                agree(SqlAnswer.of(second, look), SqlAnswer.of(reader, look), said, seed);
            }
        }
        return done;
    }

    private static void agree(SqlAnswer right, SqlAnswer ours, List<String> said, String seed) {
        assertThat(right.isSameByState(ours))
                .as("%s%n%s%n  PostgreSQL: %s%n  Quarrel: %s", seed, String.join(";\n", said), right, ours)
                .isTrue();
    }
}
