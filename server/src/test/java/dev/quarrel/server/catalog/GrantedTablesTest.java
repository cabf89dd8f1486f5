package dev.quarrel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.server.MemoryCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.UsersFile;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/// What users see of tables that others may read: alice all of them, bob schema sales and what everybody reads.
@Timeout(120)
final class GrantedTablesTest {
    @TempDir
    private static Path folder;

    private static Engine engine;
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        MemoryCatalog catalog = new MemoryCatalog()
                .with(
                        "public",
                        "orders",
                        List.of("id integer not null", "note text"),
                        new String[] {"1", "first"},
                        new String[] {"2", "second"})
                .with("public", "nothing", List.of("id integer"))
                .with("public", "days", List.of("day date"), new String[] {"2026-01-01"})
                .with("sales", "daily", List.of("id integer", "sum numeric(10,2)"), new String[] {"1", "2.50"});
        Path file = folder.resolve("users");
        UsersFile.put(file, "alice", ScramVerifier.ofPassword("x"));
        UsersFile.put(file, "bob", ScramVerifier.ofPassword("x"));
        Files.writeString(file, """
                role leads
                role analysts
                grant select on all to leads
                grant leads to alice
                grant select on sales.* to analysts
                grant analysts to bob
                grant select on days to public
                """, StandardOpenOption.APPEND);
        UsersFile users = UsersFile.open(file);
        engine = LocalEngine.open(catalog, SystemCatalog.install(EngineConfig.defaults(), users));
        server = Server.start(
                engine, ServerConfig.defaults().with(ServerSetting.PORT, 0).withUsers(users));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.stop();
        }
        if (engine != null) {
            engine.close();
        }
    }

    private static Connection connect(String user, String queryMode) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel?preferQueryMode=" + queryMode,
                user,
                "x");
    }

    private static List<String> ask(String user, String sql) throws SQLException {
        try (Connection connection = connect(user, "simple");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        }
    }

    private static void assertDenied(String table, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(PSQLException.class, error -> {
            assertThat(error.getSQLState()).isEqualTo("42501");
            assertThat(error.getMessage()).contains("permission denied for table " + table);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from orders",
                "select count(*) from public.orders",
                "select 1 from quarrel.public.orders where false",
                "table orders",
                "select note from (select * from orders) o",
                "with o as (select * from orders) select 1 from days",
                "with o as materialized (select * from orders) select * from o",
                "select d.day, (select max(id) from orders) from days d",
                "select day from days where exists (select 1 from orders)",
                "select day from days where 1 in (select id from orders)",
                "select d.day, l.id from days d, lateral (select id from orders where id > 0) l",
                "select day from days left join orders on false",
                "select id from sales.daily union all select id from orders",
                "select id from sales.daily except select id from orders",
                "select o from orders o",
                "select array(select id from orders)",
                "explain select * from orders",
                "explain analyze select * from orders",
                "with recursive r(n) as (select 1 union all select n + 1 from r, orders where n < 3) select * from r",
            })
    void aTableThatIsNotGrantedIsDeniedHoweverItIsReached(String sql) throws Exception {
        assertThat(ask("alice", sql)).isNotNull();
        assertDenied("orders", () -> ask("bob", sql));
        assertThat(ask("alice", sql)).isNotNull();
    }

    @Test
    void emptyTablesAreDeniedAsWell() throws Exception {
        assertThat(ask("alice", "select id from nothing")).isEmpty();
        assertDenied("nothing", () -> ask("bob", "select id from nothing"));
    }

    @Test
    void whatIsGrantedIsRead() throws Exception {
        assertThat(ask("bob", "select sum from sales.daily")).containsExactly("2.50");
        assertThat(ask("bob", "select day from days")).containsExactly("2026-01-01");
        assertThat(ask("bob", "select current_user || 1")).containsExactly("bob1");
    }

    /// Plans are kept by text, and shared by statements that differ in literals: neither reaches who may not read.
    @Test
    void keptPlansAreNotOthers() throws Exception {
        try (Connection alice = connect("alice", "extended");
                Connection bob = connect("bob", "extended")) {
            for (int run = 0; run < 8; run++) {
                try (PreparedStatement statement = alice.prepareStatement("select note from orders where id = ?")) {
                    statement.setInt(1, 2);
                    try (ResultSet rows = statement.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                    }
                }
            }
            assertDenied("orders", () -> {
                try (PreparedStatement statement = bob.prepareStatement("select note from orders where id = ?")) {
                    statement.setInt(1, 2);
                    statement.executeQuery().close();
                }
            });
        }
        for (int id = 0; id < 4; id++) {
            assertThat(ask("alice", "select note from orders where id = " + id)).hasSize(id == 1 || id == 2 ? 1 : 0);
        }
        assertDenied("orders", () -> ask("bob", "select note from orders where id = 7"));
        assertDenied("orders", () -> ask("bob", "select note from orders where id = 2"));
    }

    @Test
    void catalogsShowWhatPostgresqlShows() throws Exception {
        String tables = "select table_name from information_schema.tables where table_schema in ('public', 'sales')"
                + " order by 1";
        for (int run = 0; run < 3; run++) {
            assertThat(ask("alice", tables)).containsExactly("daily", "days", "nothing", "orders");
            assertThat(ask("bob", tables)).containsExactly("daily", "days");
        }
        String columns = "select distinct table_name from information_schema.columns where table_schema = 'public'"
                + " order by 1";
        assertThat(ask("bob", columns)).containsExactly("days");
        assertThat(ask("alice", columns)).containsExactly("days", "nothing", "orders");
        assertThat(ask("bob", "select relname from pg_class where relname in ('orders', 'daily') order by 1"))
                .containsExactly("daily", "orders");
        assertThat(ask("bob", "select rolname || rolcanlogin from pg_roles order by 1"))
                .containsExactly("alicetrue", "analystsfalse", "bobtrue", "leadsfalse", "quarreltrue");
    }

    @Test
    void privilegesAreAskedFor() throws Exception {
        String question = "select has_table_privilege(%s)::text";
        assertThat(ask("bob", question.formatted("'orders', 'select'"))).containsExactly("false");
        assertThat(ask("alice", question.formatted("'orders', 'select'"))).containsExactly("true");
        assertThat(ask("alice", question.formatted("'orders', 'insert'"))).containsExactly("false");
        assertThat(ask("bob", question.formatted("'sales.daily', 'select'"))).containsExactly("true");
        assertThat(ask("bob", question.formatted("'alice', 'orders', 'select'")))
                .containsExactly("true");
        assertThat(ask("alice", question.formatted("'bob', 'orders', 'select'")))
                .containsExactly("false");
        assertThat(ask("bob", question.formatted("'orders'::regclass, 'select'")))
                .containsExactly("false");
        assertThat(
                        ask(
                                "bob",
                                "select relname from pg_class where relkind = 'r' and relnamespace <> 11"
                                        + " and has_table_privilege(oid, 'select') and relname in ('orders', 'daily', 'days') order by 1"))
                .containsExactly("daily", "days");
        assertThatThrownBy(() -> ask("bob", question.formatted("'nosuch', 'select'")))
                .hasMessageContaining("relation \"nosuch\" does not exist");
        assertThatThrownBy(() -> ask("bob", question.formatted("'nobody', 'orders', 'select'")))
                .hasMessageContaining("role \"nobody\" does not exist");
        assertThat(ask("bob", "select pg_has_role('analysts', 'member')::text")).containsExactly("true");
        assertThat(ask("bob", "select pg_has_role('leads', 'member')::text")).containsExactly("false");
    }
}
