package dev.quarrel.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.TablePrivileges;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GrantsTest {
    private static final String VERIFIER = ScramVerifier.ofPassword("x").toString();

    private static Users users(String... lines) {
        List<String> all = new ArrayList<>(List.of("alice:" + VERIFIER, "bob:" + VERIFIER, "Carol C:" + VERIFIER));
        all.addAll(List.of(lines));
        return Users.parse("users", all);
    }

    @Test
    void withoutAGrantEverybodyReadsEverything() {
        assertThat(users("role analysts").privileges("alice")).isEqualTo(TablePrivileges.EVERYTHING);
    }

    @Test
    void tablesSchemasAndEverythingAreGranted() {
        Users users = users(
                "# who reads what",
                "grant select on sales.* to alice;",
                "GRANT SELECT ON TABLE orders, other.\"Mixed Case\" TO bob, \"Carol C\"",
                "grant select on all tables in schema hr to \"Carol C\"");
        assertThat(users.privileges("alice").maySelect("sales", "anything")).isTrue();
        assertThat(users.privileges("alice").maySelect("public", "orders")).isFalse();
        assertThat(users.privileges("alice").maySelect("pg_catalog", "pg_class"))
                .isTrue();
        assertThat(users.privileges("bob").maySelect("public", "orders")).isTrue();
        assertThat(users.privileges("bob").maySelect("other", "Mixed Case")).isTrue();
        assertThat(users.privileges("bob").maySelect("other", "mixed case")).isFalse();
        assertThat(users.privileges("bob").maySelect("hr", "pay")).isFalse();
        assertThat(users.privileges("Carol C").maySelect("hr", "pay")).isTrue();
        assertThat(users.privileges("nobody").maySelect("public", "orders")).isFalse();
    }

    @Test
    void tablesAreMadeWithAGrant() {
        Users users = users(
                "role writers",
                "grant create on schema logs, public to writers",
                "grant create on all to \"Carol C\"",
                "grant writers to bob");
        assertThat(users.privileges("bob").mayCreateIn("logs")).isTrue();
        assertThat(users.privileges("bob").mayCreateIn("sales")).isFalse();
        assertThat(users.privileges("Carol C").mayCreateIn("sales")).isTrue();
        assertThat(users.privileges("alice").mayCreateIn("public")).isFalse();
        assertThat(Users.none().privileges("anybody").mayCreateIn("public")).isTrue();
    }

    @Test
    void rolesHaveRolesAndEverybodyIsPublic() {
        Users users = users(
                "grant analysts to bob",
                "grant select on all to leads",
                "role analysts",
                "role leads",
                "grant select on public.daily to public",
                "grant select on sales.* to analysts",
                "grant leads, analysts to alice");
        assertThat(users.privileges("bob").maySelect("sales", "orders")).isTrue();
        assertThat(users.privileges("bob").maySelect("public", "daily")).isTrue();
        assertThat(users.privileges("bob").maySelect("public", "orders")).isFalse();
        assertThat(users.privileges("alice")).isEqualTo(TablePrivileges.EVERYTHING);
        assertThat(users.privileges("Carol C").maySelect("public", "daily")).isTrue();
        assertThat(users.privileges("Carol C").maySelect("sales", "orders")).isFalse();
        assertThat(users.rolesOf("alice")).containsExactly("analysts", "leads");
        assertThat(users.privileges("bob")).isNotEqualTo(users.privileges("Carol C"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "grant select on orders | line 4: expected to at the end",
                "grant select on orders to | line 4: expected a name at the end",
                "grant select on .x to bob | line 4: expected a name before \".\"",
                "grant select on s.fact_* to bob | line 4: expected to before \"*\"",
                "grant insert on orders to bob | line 4: expected to before \"on\"",
                "grant select on orders to bob now | line 4: \"now\" is not understood",
                "grant select on \"orders to bob | line 4: a quoted name does not end",
                "grant select on orders to dave | there is no user or role \"dave\"",
                "grant analysts to bob | there is no user or role \"analysts\"",
                "role bob | bob is both a user and a role",
                "role public | line 4: the name \"public\" is reserved",
                "grant bob to bob | the role bob is in itself",
                "grand analysts to bob | line 4: expected name:SCRAM-SHA-256$…, role … or grant … to …",
                "bob:secret | line 4: expected name:SCRAM",
            })
    void whatIsNotUnderstoodIsSaid(String line, String message) {
        assertThatThrownBy(() -> users(line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("users")
                .hasMessageContaining(message);
    }
}
