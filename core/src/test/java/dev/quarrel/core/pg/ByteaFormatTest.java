package dev.quarrel.core.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.QueryException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Spellings and messages as PostgreSQL 18 has them.
class ByteaFormatTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\\x; \\x",
                "\\x00fF; \\x00ff",
                "\\x 0a\t0B ; \\x0a0b",
                "abc; \\x616263",
                "a\\\\b\\001\\377; \\x615c6201ff",
                "ü; \\xc3bc",
                "\\X00; 22P02 invalid input syntax for type bytea",
                "\\400; 22P02 invalid input syntax for type bytea",
                "\\12; 22P02 invalid input syntax for type bytea",
                "\\x0; 22023 invalid hexadecimal data: odd number of digits",
                "\\x0g; 22023 invalid hexadecimal digit: \"g\"",
                "\\x0 1; 22023 invalid hexadecimal digit: \" \"",
                "\\xü; 22023 invalid hexadecimal digit: \"ü\"",
            })
    void readsWhatPostgresReads(String text, String expected) {
        String read;
        try {
            read = Bytes.of(PgParse.bytea(text)).toString();
        } catch (QueryException failure) {
            read = failure.state().code() + " " + failure.getMessage();
        }
        assertThat(read).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "AAEC; \\x000102",
                "/+8=; \\xffef",
                "' A A = = '; \\x00",
                "A; 22023 invalid base64 end sequence",
                "AA=; 22023 invalid base64 end sequence",
                "=AAA; 22023 unexpected \"=\" while decoding base64 sequence",
                "AA=A; 22023 invalid symbol \"A\" found while decoding base64 sequence",
                "AA-A; 22023 invalid symbol \"-\" found while decoding base64 sequence",
            })
    void readsBase64AsPostgresDoes(String text, String expected) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        String read;
        try {
            read = Bytes.of(ByteaFormat.decode(bytes, 0, bytes.length, "base64"))
                    .toString();
        } catch (QueryException failure) {
            read = failure.state().code() + " " + failure.getMessage();
        }
        assertThat(read).isEqualTo(expected);
    }

    @Test
    void whatIsEncodedIsReadBack() {
        long seed = Long.getLong("quarrel.seed", 20261121L);
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int length = 0; length < 200; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            for (String format : new String[] {"hex", "BASE64", "escape"}) {
                TextBuffer text = new TextBuffer();
                ByteaFormat.encode(bytes, 0, length, format, text);
                assertThat(ByteaFormat.decode(text.array(), 0, text.length(), format))
                        .as("%s of %d bytes", format, length)
                        .isEqualTo(bytes);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11, true",
        "A0EEBC999C0B4EF8BB6D6BB9BD380A11, true",
        "{a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11}, true",
        "a0eebc99-9c0b4ef8-bb6d6bb9bd380a11, true",
        "a0eebc99--9c0b-4ef8-bb6d-6bb9bd380a11, false",
        "a0eebc9-99c0b-4ef8-bb6d-6bb9bd380a11, false",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-, false",
        "-a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11, false",
        "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11, false",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}, false",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1g, false",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1, false",
        "'', false"
    })
    void uuidsAreReadAsPostgresReadsThem(String text, boolean isUuid) {
        if (isUuid) {
            assertThat(PgParse.uuid(text)).hasToString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
        } else {
            assertThatThrownBy(() -> PgParse.uuid(text))
                    .isInstanceOf(QueryException.class)
                    .hasMessage("invalid input syntax for type uuid: \"" + text + "\"");
        }
    }
}
