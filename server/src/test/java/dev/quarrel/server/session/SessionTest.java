package dev.quarrel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.server.ScriptedEngine;
import dev.quarrel.server.auth.FailedLogins;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.databases.Databases;
import dev.quarrel.server.statement.StatementListener;
import dev.quarrel.server.wire.FrameDecoder;
import dev.quarrel.server.wire.FrontendMessage;
import dev.quarrel.server.wire.MessageTrace;
import dev.quarrel.server.wire.Target;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The state machine, message by message, in libpq's trace text.
final class SessionTest {
    private static final byte[][] NO_VALUES = {};
    private static final short[] TEXT = {};

    private final ScriptedEngine engine = new ScriptedEngine();
    private final FrameDecoder decoder = new FrameDecoder(100_000, "max_message_bytes");
    private final EmbeddedChannel channel = new EmbeddedChannel(
            decoder,
            new Connection(
                    new Connection.Shared(
                            Databases.of(engine, Users::none),
                            ServerConfig.defaults(),
                            null,
                            new FailedLogins(),
                            new CancelKeys(),
                            new Admissions(1),
                            StatementListener.NONE,
                            Runnable::run),
                    decoder));

    private static FrontendMessage startup() {
        return new FrontendMessage.Startup(3, 0, Map.of("user", "ann"));
    }

    private static FrontendMessage query(String sql) {
        return new FrontendMessage.Query(sql);
    }

    private static FrontendMessage parse(String name, String sql) {
        return new FrontendMessage.Parse(name, sql, new int[0]);
    }

    private static FrontendMessage bind(String portal, String statement) {
        return new FrontendMessage.Bind(portal, statement, TEXT, NO_VALUES, TEXT);
    }

    private static FrontendMessage execute(String portal, int maxRows) {
        return new FrontendMessage.Execute(portal, maxRows);
    }

    private static FrontendMessage sync() {
        return new FrontendMessage.Sync();
    }

    private static ByteBuf bytes(FrontendMessage... messages) {
        ByteBuf bytes = Unpooled.buffer();
        for (FrontendMessage message : messages) {
            message.encode(bytes);
        }
        return bytes;
    }

    private String answers() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            all.writeBytes(part);
            part.release();
        }
        MessageTrace trace = new MessageTrace(true);
        while (all.isReadable()) {
            trace.message(false, all.readSlice(1 + all.getInt(all.readerIndex() + 1)));
        }
        return trace.toString().replace("\t", " ");
    }

    private String answersTo(FrontendMessage... messages) {
        channel.writeInbound(bytes(messages));
        return answers();
    }

    private void logIn() {
        answersTo(startup());
    }

    @AfterEach
    void nothingIsLeftOpen() {
        channel.finishAndReleaseAll();
        assertThat(engine.openSessions).hasValue(0);
        assertThat(engine.openExecutions).hasValue(0);
        assertThat(engine.openBatches).hasValue(0);
    }

    @Test
    void startupTellsSettingsKeyAndReadiness() {
        assertThat(answersTo(startup())).isEqualTo("""
                        B 8 Authentication  0
                        B 22 ParameterStatus  "application_name" ""
                        B 25 ParameterStatus  "client_encoding" "UTF8"
                        B 23 ParameterStatus  "DateStyle" "ISO, MDY"
                        B 25 ParameterStatus  "integer_datetimes" "on"
                        B 25 ParameterStatus  "server_encoding" "UTF8"
                        B 39 ParameterStatus  "server_version" "15.0 (Quarrel test)"
                        B 35 ParameterStatus  "standard_conforming_strings" "on"
                        B 17 ParameterStatus  "TimeZone" "UTC"
                        B 12 BackendKeyData  NNNN NNNN
                        B 5 ReadyForQuery  I
                        """);
    }

    @Test
    void newerMinorVersionsAndUnknownOptionsAreNegotiatedDown() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("user", "ann");
        parameters.put("_pq_.grease", "1");
        assertThat(answersTo(new FrontendMessage.Startup(3, 9999, parameters)))
                .startsWith("B 24 NegotiateProtocolVersion  196610 1\n");
    }

    @Test
    void startupSettingsAreSetOrRefused() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("user", "ann");
        parameters.put("options", "-c datestyle=ISO\\ YMD --timezone=PST");
        parameters.put("nosuch", "1");
        assertThat(answersTo(new FrontendMessage.Startup(3, 0, parameters))).isEqualTo("""
                        B 8 Authentication  0
                        B 73 ErrorResponse  S "FATAL" V "FATAL" C "42704" M "unrecognized configuration parameter "nosuch"" \\x00
                        """);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void simpleQueriesAnswerRowsTagAndReadiness() {
        logIn();
        assertThat(answersTo(query("rows 2; set application_name x; rows 0"))).isEqualTo("""
                        B 27 RowDescription  1 "c1" NNNN 0 NNNN 4 -1 0
                        B 11 DataRow  1 1 '1'
                        B 11 DataRow  1 1 '2'
                        B 13 CommandComplete  "SELECT 2"
                        B 8 CommandComplete  "SET"
                        B 27 RowDescription  1 "c1" NNNN 0 NNNN 4 -1 0
                        B 13 CommandComplete  "SELECT 0"
                        B 23 ParameterStatus  "application_name" "x"
                        B 5 ReadyForQuery  I
                        """);
        assertThat(answersTo(query(""))).isEqualTo("B 4 EmptyQueryResponse\nB 5 ReadyForQuery  I\n");
        assertThat(answersTo(query(" ; ;"))).isEqualTo("B 4 EmptyQueryResponse\nB 5 ReadyForQuery  I\n");
    }

    @Test
    void anErrorEndsASimpleQueryAndSaysWhere() {
        logIn();
        assertThat(answersTo(query("rows 1;𝄞 wrong; rows 1"))).isEqualTo("""
                        B 27 RowDescription  1 "c1" NNNN 0 NNNN 4 -1 0
                        B 11 DataRow  1 1 '1'
                        B 13 CommandComplete  "SELECT 1"
                        B 44 ErrorResponse  S "ERROR" V "ERROR" C "42601" M "syntax error" P "10" \\x00
                        B 5 ReadyForQuery  I
                        """);
        assertThat(answersTo(query("fail late"))).isEqualTo("""
                        B 27 RowDescription  1 "c1" NNNN 0 NNNN 4 -1 0
                        B 11 DataRow  1 1 '1'
                        B 44 ErrorResponse  S "ERROR" V "ERROR" C "22012" M "division by zero" \\x00
                        B 5 ReadyForQuery  I
                        """);
    }

    @Test
    void aBugTellsNothingOfItself() {
        logIn();
        assertThat(answersTo(query("bug")))
                .contains("C \"XX000\" M \"internal error\"")
                .doesNotContain("secret", "home", "Exception")
                .endsWith("B 5 ReadyForQuery  I\n");
    }

    @Test
    void transactionsFailAndEnd() {
        logIn();
        assertThat(answersTo(query("begin"))).endsWith("ReadyForQuery  T\n");
        assertThat(answersTo(query("begin"))).isEqualTo("""
                        B 74 NoticeResponse  S "WARNING" V "WARNING" C "25001" M "there is already a transaction in progress" \\x00
                        B 10 CommandComplete  "BEGIN"
                        B 5 ReadyForQuery  T
                        """);
        assertThat(answersTo(query("fail"))).endsWith("ReadyForQuery  E\n");
        assertThat(answersTo(query("rows 1"))).contains("C \"25P02\"").endsWith("ReadyForQuery  E\n");
        assertThat(answersTo(query("rollback"))).endsWith("ReadyForQuery  I\n");
        assertThat(answersTo(query("commit"))).contains("NoticeResponse", "25P01");
    }

    @Test
    void theExtendedProtocolAnswersEachMessage() {
        logIn();
        assertThat(answersTo(
                        parse("s", "rows 3"),
                        new FrontendMessage.Describe(Target.STATEMENT, "s"),
                        bind("p", "s"),
                        new FrontendMessage.Describe(Target.PORTAL, "p"),
                        execute("p", 0),
                        new FrontendMessage.Close(Target.PORTAL, "p"),
                        new FrontendMessage.Close(Target.STATEMENT, "nosuch"),
                        sync()))
                .isEqualTo("""
                        B 4 ParseComplete
                        B 6 ParameterDescription  0
                        B 27 RowDescription  1 "c1" NNNN 0 NNNN 4 -1 0
                        B 4 BindComplete
                        B 27 RowDescription  1 "c1" NNNN 0 NNNN 4 -1 0
                        B 11 DataRow  1 1 '1'
                        B 11 DataRow  1 1 '2'
                        B 11 DataRow  1 1 '3'
                        B 13 CommandComplete  "SELECT 3"
                        B 4 CloseComplete
                        B 4 CloseComplete
                        B 5 ReadyForQuery  I
                        """);
    }

    @Test
    void afterAnErrorAllIsSkippedUpToSync() {
        logIn();
        assertThat(answersTo(
                        parse("", "fail"),
                        bind("", ""),
                        execute("", 0),
                        query("rows 1"),
                        new FrontendMessage.Flush(),
                        sync(),
                        parse("", "rows 1"),
                        sync()))
                .isEqualTo("""
                        B 44 ErrorResponse  S "ERROR" V "ERROR" C "22012" M "division by zero" \\x00
                        B 5 ReadyForQuery  I
                        B 4 ParseComplete
                        B 5 ReadyForQuery  I
                        """);
    }

    @Test
    void portalsAreSuspendedAndResumedAcrossBatches() {
        logIn();
        assertThat(answersTo(
                        parse("", "rows 5 2"),
                        bind("", ""),
                        execute("", 3),
                        execute("", 2),
                        execute("", 2),
                        execute("", 2),
                        sync()))
                .isEqualTo("""
                        B 4 ParseComplete
                        B 4 BindComplete
                        B 11 DataRow  1 1 '1'
                        B 11 DataRow  1 1 '2'
                        B 11 DataRow  1 1 '3'
                        B 4 PortalSuspended
                        B 11 DataRow  1 1 '4'
                        B 11 DataRow  1 1 '5'
                        B 4 PortalSuspended
                        B 13 CommandComplete  "SELECT 0"
                        B 13 CommandComplete  "SELECT 0"
                        B 5 ReadyForQuery  I
                        """);
    }

    @Test
    void portalsLiveInABlockAcrossSyncsAndDieWithIt() {
        logIn();
        answersTo(query("begin"));
        answersTo(parse("s", "rows 5"), bind("p", "s"), execute("p", 2), sync());
        assertThat(engine.openBatches).hasValue(1);
        assertThat(answersTo(execute("p", 2), sync())).startsWith("B 11 DataRow  1 1 '3'\nB 11 DataRow  1 1 '4'\n");
        assertThat(answersTo(bind("p", "s"), sync())).contains("C \"42P03\" M \"cursor \"p\" already exists\"");
        answersTo(query("rollback"));
        assertThat(engine.openBatches).hasValue(0);
        assertThat(answersTo(execute("p", 2), sync())).contains("C \"34000\" M \"portal \"p\" does not exist\"");
        answersTo(parse("", "rows 5"), bind("q", ""), sync());
        assertThat(answersTo(execute("q", 0), sync())).contains("C \"34000\"");
    }

    @Test
    void namesAreChecked() {
        logIn();
        assertThat(answersTo(parse("s", "rows 1"), parse("s", "rows 1"), sync()))
                .contains("C \"42P05\"");
        assertThat(answersTo(bind("", "nosuch"), sync()))
                .contains("C \"26000\" M \"prepared statement \"nosuch\" does not exist\"");
        assertThat(answersTo(bind("", ""), sync()))
                .contains("C \"26000\" M \"unnamed prepared statement does not exist\"");
        assertThat(answersTo(parse("", "rows 1; rows 2"), sync())).contains("C \"42601\"");
        assertThat(answersTo(query("discard all"))).contains("DISCARD ALL");
        assertThat(answersTo(bind("", "s"), sync())).contains("C \"26000\"");
    }

    @Test
    void emptyStatementsAndCommandsHaveNoRows() {
        logIn();
        assertThat(answersTo(
                        parse("", ""),
                        bind("", ""),
                        new FrontendMessage.Describe(Target.PORTAL, ""),
                        execute("", 0),
                        parse("", "begin"),
                        bind("", ""),
                        new FrontendMessage.Describe(Target.PORTAL, ""),
                        execute("", 0),
                        execute("", 0),
                        sync()))
                .isEqualTo("""
                        B 4 ParseComplete
                        B 4 BindComplete
                        B 4 NoData
                        B 4 EmptyQueryResponse
                        B 4 ParseComplete
                        B 4 BindComplete
                        B 4 NoData
                        B 10 CommandComplete  "BEGIN"
                        B 51 ErrorResponse  S "ERROR" V "ERROR" C "55000" M "portal "" cannot be run" \\x00
                        B 5 ReadyForQuery  E
                        """);
    }

    @Test
    void parametersComeInTextAndBinaryAndGoOutSo() {
        logIn();
        assertThat(answersTo(
                        parse("e", "echo int4 text bool numeric"),
                        new FrontendMessage.Describe(Target.STATEMENT, "e"),
                        new FrontendMessage.Bind(
                                "",
                                "e",
                                new short[] {1, 0, 0, 0},
                                new byte[][] {{0, 0, 1, 0}, {'x', ' '}, {'o', 'n'}, null},
                                new short[] {0, 0, 1, 0}),
                        execute("", 0),
                        sync()))
                .isEqualTo("""
                        B 4 ParseComplete
                        B 22 ParameterDescription  4 NNNN NNNN NNNN NNNN
                        B 90 RowDescription  4 "c1" NNNN 0 NNNN 4 -1 0 "c2" NNNN 0 NNNN -1 -1 0 "c3" NNNN 0 NNNN 1 -1 0 "c4" NNNN 0 NNNN -1 -1 0
                        B 4 BindComplete
                        B 28 DataRow  4 3 '256' 2 'x ' 1 '\\x01' -1
                        B 13 CommandComplete  "SELECT 1"
                        B 5 ReadyForQuery  I
                        """);
        assertThat(answersTo(new FrontendMessage.Bind("", "e", TEXT, new byte[][] {{'1'}}, TEXT), sync()))
                .contains(
                        "C \"08P01\" M \"bind message supplies 1 parameters, but prepared statement \"e\" requires 4\"");
        assertThat(answersTo(
                        new FrontendMessage.Bind("", "e", TEXT, new byte[][] {{'z'}, null, null, null}, TEXT), sync()))
                .contains("C \"22P02\" M \"invalid input syntax for type integer: \"z\"\"");
        assertThat(answersTo(
                        new FrontendMessage.Bind(
                                "", "e", new short[] {1}, new byte[][] {{0, 0, 0, 0, 1}, null, null, null}, TEXT),
                        sync()))
                .contains("C \"22P03\" M \"incorrect binary data format in bind parameter 1\"");
        assertThat(answersTo(
                        new FrontendMessage.Bind(
                                "", "e", new short[] {1}, new byte[][] {{0, 1}, null, null, null}, TEXT),
                        sync()))
                .contains("C \"08P01\" M \"insufficient data left in message\"");
    }

    @Test
    void whatCannotBeDoneIsSaid() {
        logIn();
        assertThat(answersTo(new FrontendMessage.FunctionCall()))
                .contains("C \"0A000\"")
                .endsWith("ReadyForQuery  I\n");
        assertThat(answersTo(new FrontendMessage.CopyData(new byte[] {'1', '\n'}), query("rows 0")))
                .endsWith("CommandComplete  \"SELECT 0\"\nB 5 ReadyForQuery  I\n");
        assertThat(answersTo(new FrontendMessage.Parse("", "rows 1", new int[] {600}), sync()))
                .contains("C \"0A000\"");
    }

    @Test
    void badUtf8AndTooLongMessagesAreErrorsNotEnds() {
        logIn();
        ByteBuf bad = Unpooled.buffer();
        bad.writeByte('Q').writeInt(6).writeByte(0xFF).writeByte(0);
        channel.writeInbound(bad);
        assertThat(answers()).contains("C \"22021\"").endsWith("ReadyForQuery  I\n");
        assertThat(answersTo(query("x".repeat(100_000))))
                .contains("C \"08P01\"", "Raise max_message_bytes.")
                .endsWith("ReadyForQuery  I\n");
        assertThat(answersTo(parse("", "x".repeat(100_000)), execute("", 0), sync()))
                .contains("C \"08P01\"")
                .endsWith("ReadyForQuery  I\n");
    }

    @Test
    void afterBrokenBytesWhatWasAskedIsAnsweredAndTheConnectionEnds() {
        logIn();
        ByteBuf bytes = bytes(query("rows 1"));
        bytes.writeByte('Q').writeInt(3);
        try {
            channel.writeInbound(bytes);
        } catch (RuntimeException rethrown) {
            throw new AssertionError("the failure should have been handled", rethrown);
        }
        assertThat(answers()).endsWith("""
                        B 13 CommandComplete  "SELECT 1"
                        B 5 ReadyForQuery  I
                        B 50 ErrorResponse  S "FATAL" V "FATAL" C "08P01" M "invalid message length" \\x00
                        """);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aConversationCutAnywhereIsAnsweredTheSame() {
        FrontendMessage[] conversation = {
            startup(),
            query("rows 2; begin"),
            parse("s", "rows 5 2"),
            bind("p", "s"),
            execute("p", 3),
            sync(),
            execute("p", 0),
            sync(),
            query("fail"),
            query("rollback"),
            new FrontendMessage.Terminate()
        };
        String expected = answersTo(conversation);
        assertThat(expected).contains("SELECT 2", "PortalSuspended", "22012");
        ByteBuf whole = bytes(conversation);
        List<String> different = new ArrayList<>();
        for (int cut = 1; cut < whole.writerIndex(); cut++) {
            SessionTest fresh = new SessionTest();
            fresh.channel.writeInbound(whole.copy(0, cut));
            fresh.channel.writeInbound(whole.copy(cut, whole.writerIndex() - cut));
            if (!fresh.answers().equals(expected)) {
                different.add("cut at " + cut);
            }
            fresh.nothingIsLeftOpen();
        }
        assertThat(different).isEmpty();
    }

    @Test
    void terminateClosesEverything() {
        logIn();
        answersTo(query("begin"), parse("s", "rows 5"), bind("p", "s"), execute("p", 1));
        answersTo(new FrontendMessage.Terminate());
        assertThat(channel.isOpen()).isFalse();
        assertThat(engine.openSessions).hasValue(0);
    }
}
