package dev.quarrel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class MessagesTest {
    private static final byte[] NO_BYTES = {};

    static Stream<FrontendMessage> frontendMessages() {
        return Stream.of(
                new FrontendMessage.AuthenticationAnswer(new byte[] {1, 2, 0, 3}),
                new FrontendMessage.Query("select 'ü€𝄞'"),
                new FrontendMessage.Query(""),
                new FrontendMessage.Parse("s1", "select $1", new int[] {23, 0}),
                new FrontendMessage.Parse("", "", new int[0]),
                new FrontendMessage.Bind("p", "s", new short[] {0, 1}, new byte[][] {{'1'}, null}, new short[] {1}),
                new FrontendMessage.Bind("", "", new short[0], new byte[][] {NO_BYTES}, new short[0]),
                new FrontendMessage.Describe(Target.STATEMENT, "s"),
                new FrontendMessage.Describe(Target.PORTAL, ""),
                new FrontendMessage.Execute("p", 100),
                new FrontendMessage.Close(Target.PORTAL, "p"),
                new FrontendMessage.Flush(),
                new FrontendMessage.Sync(),
                new FrontendMessage.Terminate(),
                new FrontendMessage.FunctionCall(),
                new FrontendMessage.CopyData(new byte[] {1, 0, 2}),
                new FrontendMessage.CopyDone(),
                new FrontendMessage.CopyFail("why"));
    }

    @ParameterizedTest
    @MethodSource("frontendMessages")
    void frontendMessagesReadWhatTheyWrite(FrontendMessage message) {
        ByteBuf bytes = Unpooled.buffer();
        message.encode(bytes);
        String written = ByteBufUtil.hexDump(bytes);
        char type = (char) bytes.readByte();
        assertThat(bytes.readInt()).isEqualTo(bytes.readableBytes() + 4);
        FrontendMessage read = FrontendMessage.decode(type, bytes);
        ByteBuf again = Unpooled.buffer();
        read.encode(again);
        assertThat(ByteBufUtil.hexDump(again)).isEqualTo(written);
        assertThat(read.getClass()).isEqualTo(message.getClass());
    }

    static Stream<FrontendMessage> startupMessages() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("user", "ann");
        parameters.put("database", "quarrel");
        return Stream.of(
                new FrontendMessage.Startup(3, 0, parameters),
                new FrontendMessage.SslRequest(),
                new FrontendMessage.GssEncRequest(),
                new FrontendMessage.CancelRequest(42, new byte[] {1, 2, 3, 4}));
    }

    @ParameterizedTest
    @MethodSource("startupMessages")
    void startupMessagesReadWhatTheyWrite(FrontendMessage message) {
        ByteBuf bytes = Unpooled.buffer();
        message.encode(bytes);
        String written = ByteBufUtil.hexDump(bytes);
        assertThat(bytes.readInt()).isEqualTo(bytes.readableBytes() + 4);
        FrontendMessage read = FrontendMessage.decodeStartup(bytes);
        ByteBuf again = Unpooled.buffer();
        read.encode(again);
        assertThat(ByteBufUtil.hexDump(again)).isEqualTo(written);
    }

    static Stream<BackendMessage> backendMessages() {
        Map<Character, String> fields = new LinkedHashMap<>();
        fields.put('S', "ERROR");
        fields.put('C', "42601");
        fields.put('M', "syntax error");
        return Stream.of(
                new BackendMessage.NegotiateProtocolVersion(0, List.of("_pq_.x")),
                new BackendMessage.AuthenticationOk(),
                new BackendMessage.AuthenticationSasl(List.of("SCRAM-SHA-256")),
                new BackendMessage.AuthenticationSaslContinue(new byte[] {'r', '='}),
                new BackendMessage.AuthenticationSaslFinal(new byte[] {'v', '='}),
                new BackendMessage.BackendKeyData(7, new byte[] {9, 8, 7, 6}),
                new BackendMessage.ParameterStatus("TimeZone", "UTC"),
                new BackendMessage.ReadyForQuery(TransactionStatus.FAILED),
                new BackendMessage.RowDescription(
                        List.of(new BackendMessage.ColumnDescription("ä", 1, 2, 23, 4, -1, 0))),
                new BackendMessage.DataRow(new byte[][] {{'x'}, null, NO_BYTES}),
                new BackendMessage.ParameterDescription(new int[] {23, 25}),
                new BackendMessage.CommandComplete("SELECT 1"),
                new BackendMessage.EmptyQueryResponse(),
                new BackendMessage.NoData(),
                new BackendMessage.ParseComplete(),
                new BackendMessage.BindComplete(),
                new BackendMessage.CloseComplete(),
                new BackendMessage.PortalSuspended(),
                new BackendMessage.ErrorResponse(fields),
                new BackendMessage.NoticeResponse(fields));
    }

    @ParameterizedTest
    @MethodSource("backendMessages")
    void backendMessagesReadWhatTheyWrite(BackendMessage message) {
        ByteBuf bytes = Unpooled.buffer();
        message.encode(bytes);
        String written = ByteBufUtil.hexDump(bytes);
        char type = (char) bytes.readByte();
        assertThat(bytes.readInt()).isEqualTo(bytes.readableBytes() + 4);
        ByteBuf again = Unpooled.buffer();
        BackendMessage.decode(type, bytes).encode(again);
        assertThat(ByteBufUtil.hexDump(again)).isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource({
        "Q, 6162, invalid string",
        "Q, 610062, invalid message format",
        "P, 0000ffff, insufficient data",
        "P, 000001, insufficient data",
        "B, 00000000000100000005, insufficient data",
        "B, 0000000000017fffffff, insufficient data",
        "B, 000000000001fffffffe, invalid length -2",
        "B, 0000ffff, insufficient data",
        "D, 5800, subtype 88",
        "E, 00, insufficient data",
        "S, 00, invalid message format",
        "y, 00, invalid frontend message type"
    })
    void bodiesThatAreNoMessageAreProtocolViolations(char type, String hex, String reason) {
        ByteBuf body = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
        assertThatThrownBy(() -> FrontendMessage.decode(type, body))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "000000010007, 22023, unsupported format code: 7",
        "0000000200000001000100000001310000, 08P01, bind message has 2 parameter formats but 1 parameters",
    })
    void formatsThatAreNoneCostTheirMessageAlone(String hex, String state, String reason) {
        ByteBuf body = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
        assertThat(FrontendMessage.decode('B', body))
                .isInstanceOfSatisfying(FrontendMessage.Unusable.class, unusable -> {
                    assertThat(unusable.error().state().code()).isEqualTo(state);
                    assertThat(unusable.error()).hasMessage(reason);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "61ff, 0xff",
        "e420, 0xe4 0x20",
        "c080, 0xc0 0x80",
        "eda080, 0xed 0xa0 0x80",
        "f4908080, 0xf4 0x90 0x80 0x80",
        "e282, 0xe2 0x82"
    })
    void badUtf8IsNamedAsPostgresNamesIt(String hex, String bytes) {
        assertThatThrownBy(() -> MessageReader.decodeUtf8(ByteBuffer.wrap(ByteBufUtil.decodeHexDump(hex))))
                .isInstanceOf(QueryException.class)
                .hasMessage("invalid byte sequence for encoding \"UTF8\": " + bytes);
    }

    @Test
    void badUtf8InAMessageLeavesTheFrameUsable() {
        ByteBuf body = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("ff00"));
        assertThat(FrontendMessage.decode('Q', body)).isInstanceOf(FrontendMessage.Unusable.class);
    }

    @Test
    void traceWritesLibpqsForm() {
        MessageTrace trace = new MessageTrace(true);
        ByteBuf bytes = Unpooled.buffer();
        new FrontendMessage.Startup(3, 0, Map.of("user", "ann")).encode(bytes);
        trace.startup(bytes);
        for (FrontendMessage message : List.of(
                new FrontendMessage.Parse("", "SELECT $1", new int[] {23}),
                new FrontendMessage.Bind("", "", new short[0], new byte[][] {{'4', 2}}, new short[0]),
                new FrontendMessage.Sync())) {
            bytes.clear();
            message.encode(bytes);
            trace.message(true, bytes);
        }
        for (BackendMessage message : List.of(
                new BackendMessage.RowDescription(
                        List.of(new BackendMessage.ColumnDescription("a", 0, 0, 23, 4, -1, 0))),
                new BackendMessage.ErrorResponse(new LinkedHashMap<>(Map.of('S', "ERROR"))),
                new BackendMessage.ReadyForQuery(TransactionStatus.IDLE))) {
            bytes.clear();
            message.encode(bytes);
            trace.message(false, bytes);
        }
        assertThat(trace.toString())
                .isEqualTo(String.join(
                        "\n",
                        "F\t18\tStartupMessage\t 3 0 \"user\" \"ann\"",
                        "F\t21\tParse\t \"\" \"SELECT $1\" 1 NNNN",
                        "F\t18\tBind\t \"\" \"\" 0 1 2 '4\\x02' 0",
                        "F\t4\tSync",
                        "B\t26\tRowDescription\t 1 \"a\" NNNN 0 NNNN 4 -1 0",
                        "B\t12\tErrorResponse\t S \"ERROR\" \\x00",
                        "B\t5\tReadyForQuery\t I",
                        ""));
    }

    @Test
    void aNulWithinATextIsReplaced() {
        ByteBuf bytes = Unpooled.buffer();
        new BackendMessage.ErrorResponse(Map.of('M', "a\0b")).encode(bytes);
        bytes.skipBytes(5);
        assertThat(ByteBufUtil.hexDump(bytes)).isEqualTo("4d" + "61" + "efbfbd" + "62" + "0000");
    }
}
