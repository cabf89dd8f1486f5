package dev.quarrel.core.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class PgTypeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "int; integer; int32",
                "  BIGINT ; bigint; int64",
                "float; double precision; float64",
                "float(24); real; float32",
                "double   precision; double precision; float64",
                "bool; boolean; bool",
                "numeric; numeric; numeric",
                "decimal(10,2); numeric(10,2); decimal(10,2)",
                "numeric(5); numeric(5,0); decimal(5,0)",
                "numeric(3,-2); numeric(3,-2); decimal(5,0)",
                "numeric(2,4); numeric(2,4); decimal(4,4)",
                "numeric(50,2); numeric(50,2); numeric",
                "varchar; character varying; utf8",
                "character varying(10); character varying(10); utf8",
                "char(3); character(3); utf8",
                "bpchar; bpchar; utf8",
                "timestamp; timestamp without time zone; timestamp",
                "timestamp(3) with time zone; timestamp(3) with time zone; timestamptz",
                "timestamptz(0); timestamp(0) with time zone; timestamptz",
                "regclass; regclass; int64",
                "UUID; uuid; uuid",
                "bytea; bytea; binary",
            })
    void namesAndModifiersAreRead(String text, String formatted, String dataType) {
        PgType.Declared declared = PgType.parse(text);
        assertThat(declared.text()).isEqualTo(formatted);
        assertThat(declared.dataType()).hasToString(dataType);
        assertThat(PgType.parse(formatted)).isEqualTo(declared);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "nothing; 42704; type \"nothing\" does not exist",
                "numeric(0); 22023; NUMERIC precision 0 must be between 1 and 1000",
                "numeric(5,2,1); 22023; invalid type modifier",
                "varchar(x); 22023; invalid type modifier",
                "integer(4); 22023; invalid type modifier",
                "uuid(4); 22023; invalid type modifier",
                "varchar(3; 42704; does not exist",
            })
    void whatIsNoTypeIsRefused(String text, String state, String message) {
        assertThatThrownBy(() -> PgType.parse(text))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state().code()).isEqualTo(state))
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @EnumSource(
            value = PgType.class,
            names = {"OTHER", "WIDE_NUMERIC", "ANY.*"},
            mode = EnumSource.Mode.MATCH_NONE)
    void everyRowIsFoundByOidAndNames(PgType type) {
        assertThat(PgType.ofOid(type.oid())).contains(type);
        assertThat(PgType.named(type.formatName())).contains(type);
        // Without quotes, char is SQL's character type.
        assertThat(PgType.named(type.typeName())).contains(type == PgType.CHAR ? PgType.BPCHAR : type);
    }

    @Test
    void everyDataTypeHasADefault() {
        assertThat(PgType.defaultName(new DataType.Decimal(38, 10))).isEqualTo("numeric(38,10)");
        assertThat(PgType.defaultName(DataType.TIMESTAMPTZ)).isEqualTo("timestamp with time zone");
        assertThat(PgType.defaultName(DataType.UTF8)).isEqualTo("text");
        assertThat(PgType.defaultName(DataType.UUID)).isEqualTo("uuid");
        assertThat(PgType.defaultName(DataType.BINARY)).isEqualTo("bytea");
    }
}
