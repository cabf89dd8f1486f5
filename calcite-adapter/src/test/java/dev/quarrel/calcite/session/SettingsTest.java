package dev.quarrel.calcite.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    private final Settings settings = new Settings();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "statement_timeout | 5000 | 5s",
                "statement_timeout | 90 s | 90s",
                "statement_timeout | 2min | 2min",
                "statement_timeout | 1500 | 1500ms",
                "quarrel.query_memory | 1GB | 1GB",
                "quarrel.query_memory | 512 | 512kB",
                "QUARREL.DEVICE | CPU | cpu",
                "quarrel.require_gpu | true | on",
                "jit | 0 | off",
                "timezone | Europe/Berlin | Europe/Berlin",
                "TimeZone | utc | UTC",
                "datestyle | iso, us | ISO, MDY",
                "datestyle | european | ISO, DMY",
                "extra_float_digits | -15 | -15",
                "extra_float_digits | 3 | 3",
                "default_transaction_read_only | yes | on"
            })
    void showGivesTheCanonicalForm(String name, String value, String shown) {
        settings.set(name, value, false);
        assertThat(settings.show(name)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({
        "nosuch, 1, UNDEFINED_OBJECT",
        "quarrel.nosuch, 1, UNDEFINED_OBJECT",
        "quarrel.device, abacus, INVALID_PARAMETER_VALUE",
        "statement_timeout, soon, INVALID_PARAMETER_VALUE",
        "statement_timeout, 99999999999999999999, INVALID_PARAMETER_VALUE",
        "extra_float_digits, 4, INVALID_PARAMETER_VALUE",
        "extra_float_digits, -16, INVALID_PARAMETER_VALUE",
        "DateStyle, German, FEATURE_NOT_SUPPORTED",
        "'DateStyle', 'MDY, DMY', INVALID_PARAMETER_VALUE",
        "jit, maybe, INVALID_PARAMETER_VALUE",
        "TimeZone, Nowhere/Land, INVALID_PARAMETER_VALUE",
        "server_version, 16, CANT_CHANGE_RUNTIME_PARAM",
        "transaction_read_only, off, FEATURE_NOT_SUPPORTED"
    })
    void aBadSettingSaysWhy(String name, String value, SqlState state) {
        QueryException error = catchThrowableOfType(QueryException.class, () -> settings.set(name, value, false));
        assertThat(error.state()).isEqualTo(state);
    }

    @Test
    void rollbackUndoesSet() {
        settings.set("application_name", "one", false);
        settings.begin();
        settings.set("application_name", "two", false);
        settings.set("jit", "on", false);
        settings.end(false);
        assertThat(settings.show("application_name")).isEqualTo("one");
        assertThat(settings.show("jit")).isEqualTo("off");
    }

    @Test
    void commitKeepsSetAndUndoesSetLocal() {
        settings.begin();
        settings.set("application_name", "kept", false);
        settings.set("jit", "on", true);
        assertThat(settings.show("jit")).isEqualTo("on");
        settings.end(true);
        assertThat(settings.show("application_name")).isEqualTo("kept");
        assertThat(settings.show("jit")).isEqualTo("off");
    }

    @Test
    void setAfterSetLocalStays() {
        settings.begin();
        settings.set("jit", "on", true);
        settings.set("jit", "on", false);
        settings.end(true);
        assertThat(settings.show("jit")).isEqualTo("on");
    }

    @Test
    void setLocalOutsideATransactionHasNoEffect() {
        settings.set("jit", "on", true);
        assertThat(settings.show("jit")).isEqualTo("off");
    }

    @Test
    void listenersHearOfReportedChangesAlone() {
        List<String> heard = new ArrayList<>();
        settings.onReportedChange((name, value) -> heard.add(name + "=" + value));
        settings.set("application_name", "psql", false);
        settings.set("application_name", "psql", false);
        settings.set("jit", "on", false);
        settings.resetAll();
        assertThat(heard).containsExactly("application_name=psql", "application_name=");
    }

    @Test
    void aSessionHasItsOwnDefaults() {
        settings.setDefault("session_authorization", "ada");
        settings.setDefault("application_name", "psql");
        settings.set("application_name", "x", false);
        settings.reset("application_name");
        assertThat(settings.show("application_name")).isEqualTo("psql");
        assertThat(settings.show("session_authorization")).isEqualTo("ada");
    }
}
