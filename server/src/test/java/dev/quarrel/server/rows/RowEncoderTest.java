package dev.quarrel.server.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.IntervalStyle;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.server.Values;
import dev.quarrel.server.wire.BackendMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RowEncoderTest {
    private static byte[] encode(Column column, PgType type, int format, ZoneId zone) {
        ResultColumn result = new ResultColumn("c", type, -1);
        RowEncoder encoder = RowEncoder.of(List.of(result), new short[] {(short) format}, TextStyle.in(zone));
        Schema schema = Schema.of(new Field("c", column.type(), true));
        ByteBuf out = Unpooled.buffer();
        encoder.open(Batch.view(schema, List.of(column), column.rowCount()));
        encoder.encode(0, out);
        assertThat(out.readByte()).isEqualTo((byte) 'D');
        assertThat(out.readInt()).isEqualTo(out.readableBytes() + 4);
        BackendMessage.DataRow row = (BackendMessage.DataRow) BackendMessage.decode('D', out);
        return row.values()[0];
    }

    private static Column column(Literal literal) {
        ColumnWriter writer = new ColumnWriter(literal.type(), Allocator.of(Arena.ofAuto()));
        Values.append(literal, writer);
        return writer.finish();
    }

    private static Literal value(PgType type, String text) {
        return PgParse.literal(text, new PgType.Declared(type, -1));
    }

    /// The hexadecimal text is what PostgreSQL 15's send functions give: `SELECT encode(numeric_send('…'), 'hex')`.
    @ParameterizedTest
    @CsvSource({
        "BOOL, t, 01",
        "INT2, -2, fffe",
        "INT4, 65538, 00010002",
        "INT8, -9223372036854775808, 8000000000000000",
        "OID, 4294967295, ffffffff",
        "FLOAT4, 1.5, 3fc00000",
        "FLOAT8, -0.1, bfb999999999999a",
        "TEXT, ü x, c3bc2078",
        "NAME, pg_class, 70675f636c617373",
        "DATE, 2000-01-01, 00000000",
        "DATE, 1999-12-31, ffffffff",
        "DATE, infinity, 7fffffff",
        "TIMESTAMP, 2000-01-01 00:00:00.000001, 0000000000000001",
        "TIMESTAMP, -infinity, 8000000000000000",
        "TIMESTAMPTZ, 2000-01-02 00:00:00+00, 000000141dd76000",
        "UUID, a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11, a0eebc999c0b4ef8bb6d6bb9bd380a11",
        "BYTEA, \\x00ff5c, 00ff5c",
        "NUMERIC, 0, 0000000000000000",
        "NUMERIC, 0.00, 0000000000000002",
        "NUMERIC, 1, 00010000000000000001",
        "NUMERIC, 10000, 00010001000000000001",
        "NUMERIC, 12345.678, 000300010000000300010929 1a7c",
        "NUMERIC, -0.0001, 0001ffff400000040001",
        "NUMERIC, 0.00001, 0001fffe0000000503e8",
        "NUMERIC, 99999999999999999999999999999999999999, 000a000900000000 0063 270f270f270f270f270f270f270f270f270f",
        "NUMERIC, -1234567890123456789.0123456789, 000800044000000a 007b11d722c509291a85007b11d722c4"
    })
    void binaryFormsAreThoseOfPostgres(PgType type, String text, String hex) {
        Literal literal = value(type, text);
        byte[] encoded = encode(column(literal), type, 1, ZoneOffset.UTC);
        assertThat(ByteBufUtil.hexDump(encoded)).isEqualTo(hex.replace(" ", ""));
        List<Literal> decoded = ParameterDecoder.decode(
                new byte[][] {encoded}, new short[] {1}, List.of(type), PgParse.Moment.utc(), (_, _) -> -1);
        assertThat(decoded).containsExactly(literal);
    }

    @ParameterizedTest
    @CsvSource({
        "BOOL, t",
        "INT2, -32768",
        "INT8, 9223372036854775807",
        "OID, 4294967295",
        "FLOAT8, 0.1",
        "TEXT, ä b",
        "BPCHAR, 'a  '",
        "DATE, 0044-03-15 BC",
        "TIMESTAMP, 2024-02-29 12:00:00.5",
        "TIMESTAMPTZ, 2024-02-29 12:00:00+00",
        "NUMERIC, -0.50",
        "UUID, 00000000-0000-0000-8000-00000000000f",
        "BYTEA, \\x00ff5c20"
    })
    void textFormsReadBack(PgType type, String text) {
        Literal literal = value(type, text);
        byte[] encoded = encode(column(literal), type, 0, ZoneOffset.UTC);
        assertThat(new String(encoded, StandardCharsets.UTF_8)).isEqualTo(text);
        assertThat(ParameterDecoder.decode(
                        new byte[][] {encoded}, new short[0], List.of(type), PgParse.Moment.utc(), (_, _) -> -1))
                .containsExactly(literal);
    }

    @Test
    void bytesAreEscapedWhereTheSessionSaysSo() {
        ColumnEncoder encoder =
                ColumnEncoder.text(PgType.BYTEA, new TextStyle(ZoneOffset.UTC, true, IntervalStyle.POSTGRES, 1));
        encoder.open(column(value(PgType.BYTEA, "\\x005c20417e7fff0a")));
        TextBuffer out = new TextBuffer();
        encoder.append(0, out);
        assertThat(out).hasToString("\\000\\\\ A~\\177\\377\\012");
    }

    @Test
    void declaredDecimalsKeepTheirScale() {
        Literal literal = new Literal(new DataType.Decimal(12, 2), new BigDecimal("1234.50"));
        assertThat(new String(encode(column(literal), PgType.NUMERIC, 0, ZoneOffset.UTC), StandardCharsets.UTF_8))
                .isEqualTo("1234.50");
        assertThat(ByteBufUtil.hexDump(encode(column(literal), PgType.NUMERIC, 1, ZoneOffset.UTC)))
                .isEqualTo("0002000000000002" + "04d21388");
    }

    @Test
    void timestampsWithZoneAreShownInTheSessionsZone() {
        Column column = column(value(PgType.TIMESTAMPTZ, "2024-07-01 12:00:00+00"));
        assertThat(new String(
                        encode(column, PgType.TIMESTAMPTZ, 0, ZoneId.of("Europe/Berlin")), StandardCharsets.UTF_8))
                .isEqualTo("2024-07-01 14:00:00+02");
        assertThat(new String(encode(column, PgType.TIMESTAMPTZ, 0, ZoneId.of("Asia/Kolkata")), StandardCharsets.UTF_8))
                .isEqualTo("2024-07-01 17:30:00+05:30");
    }

    /// As `SELECT encode(array_send('…'::type), 'hex')` gives.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INT4_ARRAY | {1,NULL,3} | 0000000100000001000000170000000300000001000000040000000"
                        + "1ffffffff0000000400000003",
                "INT4_ARRAY | {} | 000000000000000000000017",
                "TEXT_ARRAY | {\"a b\",NULL,\"NULL\"} | 0000000100000001000000190000000300000001"
                        + "00000003612062ffffffff000000044e554c4c",
                "BOOL_ARRAY | {t,f} | 00000001000000000000001000000002000000010000000101" + "0000000100"
            })
    void binaryArraysAreThoseOfPostgres(PgType type, String text, String hex) {
        Column column = column(new Literal(DataType.UTF8, text));
        assertThat(HexFormat.of().formatHex(encode(column, type, 1, ZoneOffset.UTC)))
                .isEqualTo(hex);
        assertThat(new String(encode(column, type, 0, ZoneOffset.UTC), StandardCharsets.UTF_8))
                .isEqualTo(text);
    }

    @Test
    void nullsAndDictionariesAreWritten() {
        assertThat(encode(column(Literal.ofNull(DataType.INT32)), PgType.INT4, 0, ZoneOffset.UTC))
                .isNull();
        Column values = column(new Literal(DataType.UTF8, "green"));
        Column coded = new DictionaryColumn(
                1, MemorySegment.ofArray(new byte[1]), 1, new Dictionary((Utf8Column) values), Validity.allPresent());
        assertThat(new String(encode(coded, PgType.TEXT, 0, ZoneOffset.UTC), StandardCharsets.UTF_8))
                .isEqualTo("green");
    }

    @ParameterizedTest
    @CsvSource({
        "NUMERIC, 00",
        "NUMERIC, 0001000000000000",
        "NUMERIC, 00010000123400000001",
        "NUMERIC, 00010000000000002710",
        "NUMERIC, 0000000080000000",
        "INT4, 0001",
        "TEXT, 00",
        "TEXT, ff",
        "DATE, 7ffffffe"
    })
    void badBinaryParametersAreErrors(PgType type, String hex) {
        assertThatThrownBy(() -> ParameterDecoder.decode(
                        new byte[][] {ByteBufUtil.decodeHexDump(hex)},
                        new short[] {1},
                        List.of(type),
                        PgParse.Moment.utc(),
                        (_, _) -> -1))
                .isInstanceOf(QueryException.class);
    }
}
