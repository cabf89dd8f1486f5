package dev.quarrel.export.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NamePatternTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "orders; ; ^(orders)$; true",
                "Orders; ; ^(orders)$; true",
                "\"Orders\"; ; ^(Orders)$; true",
                "sales.orders; ^(sales)$; ^(orders)$; true",
                "sales.*; ^(sales)$; ^(.*)$; false",
                "*.*; ^(.*)$; ^(.*)$; false",
                "o?d*; ; ^(o.d.*)$; false",
                "\"a.b*\"; ; ^(a\\.b\\*)$; true",
                "\"a\"\"b\".c; ^(a\"b)$; ^(c)$; true",
                "FOO\"BAR\"BAZ; ; ^(fooBARbaz)$; true",
                "a$b; ; ^(a\\$b)$; true",
                "p_[0-9]+; ; ^(p_[0-9]+)$; false",
                "(a|b); ; ^((a|b))$; false",
            })
    void patternsAreReadAsPsqlReadsThem(String text, String schema, String name, boolean isExact) {
        NamePattern pattern = NamePattern.ofTable(text);
        assertThat(pattern.schema()).isEqualTo(schema);
        assertThat(pattern.name()).isEqualTo(name);
        assertThat(pattern.isExact()).isEqualTo(isExact);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a.", ".a", "\"a", "a.b.c*", "\"\""})
    void whatIsNoPatternIsRefused(String text) {
        assertThatThrownBy(() -> NamePattern.ofTable(text))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("invalid pattern");
    }
}
