package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.config.ExportConfig;

/// What an export says that cannot be made.
final class ExportFailure {
    private ExportFailure() {}

    /// @param state the SQLSTATE
    /// @param message a part of it; none has a password
    static void assertFails(ExportConfig.Builder config, String state, String message) {
        assertThatThrownBy(() -> Exporter.run(config.build()))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state().code()).isEqualTo(state))
                .hasMessageContaining(message)
                .hasMessageNotContaining("secret");
    }
}
