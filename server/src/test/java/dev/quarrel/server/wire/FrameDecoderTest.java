package dev.quarrel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FrameDecoderTest {
    private static final int LIMIT = 100_000;

    private final List<FrontendMessage> received = new ArrayList<>();
    private final FrameDecoder decoder = new FrameDecoder(LIMIT, "max_message_bytes");
    private final EmbeddedChannel channel = new EmbeddedChannel(decoder, new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            received.add((FrontendMessage) message);
            if (message instanceof FrontendMessage.Startup) {
                decoder.loginFinished();
            }
        }
    });

    private static ByteBuf conversation() {
        ByteBuf bytes = Unpooled.buffer();
        new FrontendMessage.SslRequest().encode(bytes);
        new FrontendMessage.Startup(3, 0, Map.of("user", "ann")).encode(bytes);
        new FrontendMessage.Query("select 1").encode(bytes);
        new FrontendMessage.Parse("s", "select $1", new int[] {23}).encode(bytes);
        new FrontendMessage.Bind("", "s", new short[] {1}, new byte[][] {{0, 0, 0, 1}}, new short[] {1}).encode(bytes);
        new FrontendMessage.Describe(Target.PORTAL, "").encode(bytes);
        new FrontendMessage.Execute("", 0).encode(bytes);
        new FrontendMessage.Sync().encode(bytes);
        new FrontendMessage.Terminate().encode(bytes);
        return bytes;
    }

    private static String text(List<FrontendMessage> messages) {
        ByteBuf bytes = Unpooled.buffer();
        messages.forEach(message -> message.encode(bytes));
        return ByteBufUtil.hexDump(bytes);
    }

    @Test
    void anyCutOfAConversationGivesTheSameMessages() {
        ByteBuf whole = conversation();
        String expected = ByteBufUtil.hexDump(whole);
        for (int cut = 0; cut <= whole.writerIndex(); cut++) {
            FrameDecoderTest fresh = new FrameDecoderTest();
            fresh.channel.writeInbound(whole.copy(0, cut), whole.copy(cut, whole.writerIndex() - cut));
            assertThat(text(fresh.received)).as("cut at %s", cut).isEqualTo(expected);
            fresh.channel.finishAndReleaseAll();
        }
    }

    @Test
    void byteByByteGivesTheSameMessages() {
        ByteBuf whole = conversation();
        for (int index = 0; index < whole.writerIndex(); index++) {
            channel.writeInbound(whole.copy(index, 1));
        }
        assertThat(text(received)).isEqualTo(ByteBufUtil.hexDump(whole));
    }

    @ParameterizedTest
    @CsvSource({"00000007", "00002711", "7fffffff", "80000000", "ffffffff", "00000000"})
    void aStartupLengthOutOfRangeEndsTheConversationAtOnce(String length) {
        assertThatThrownBy(() -> channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(length))))
                .isInstanceOf(DecoderException.class)
                .hasCauseInstanceOf(ProtocolException.class);
        channel.writeInbound(conversation()); // dropped, not read
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"7000002711", "70ffffffff", "7000000003", "51", "00"})
    void beforeTheLoginIsOverOnlyShortAnswersAreRead(String hex) {
        EmbeddedChannel waiting = new EmbeddedChannel(new FrameDecoder(LIMIT, "max_message_bytes"));
        ByteBuf startup = Unpooled.buffer();
        new FrontendMessage.Startup(3, 0, Map.of("user", "ann")).encode(startup);
        waiting.writeInbound(startup);
        assertThatThrownBy(() -> waiting.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex))))
                .hasCauseInstanceOf(ProtocolException.class);
    }

    @ParameterizedTest
    @CsvSource({"5300002711", "5100000003", "5140000000", "51ffffffff", "01"})
    void afterTheLoginLengthsAreStillBounded(String hex) {
        ByteBuf startup = Unpooled.buffer();
        new FrontendMessage.Startup(3, 0, Map.of("user", "ann")).encode(startup);
        channel.writeInbound(startup);
        assertThatThrownBy(() -> channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex))))
                .hasCauseInstanceOf(ProtocolException.class);
    }

    @Test
    void aQueryAboveTheLimitIsSkippedAndNamed() {
        ByteBuf bytes = Unpooled.buffer();
        new FrontendMessage.Startup(3, 0, Map.of("user", "ann")).encode(bytes);
        new FrontendMessage.Query("x".repeat(LIMIT)).encode(bytes);
        new FrontendMessage.Sync().encode(bytes);
        while (bytes.isReadable()) {
            channel.writeInbound(bytes.readRetainedSlice(Math.min(1000, bytes.readableBytes())));
        }
        assertThat(received).hasSize(3);
        assertThat(received.get(1)).isInstanceOfSatisfying(FrontendMessage.Unusable.class, unusable -> {
            assertThat(unusable.error()).hasMessage("message of 100005 bytes exceeds the limit of 100000 bytes");
            assertThat(unusable.error().hint()).isEqualTo("Raise max_message_bytes.");
        });
        assertThat(received.get(2)).isInstanceOf(FrontendMessage.Sync.class);
    }

    /// Whatever the bytes are, the decoder answers with messages or with a [ProtocolException], and holds no
    /// more bytes than it was given.
    @Test
    void noBytesRaiseAnythingButAProtocolException() {
        long seed = Long.getLong("quarrel.seed", System.nanoTime());
        System.out.println("FrameDecoderTest seed " + seed);
        Random random = new Random(seed);
        byte[] whole = ByteBufUtil.getBytes(conversation());
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = whole.clone();
            int changes = 1 + random.nextInt(4);
            for (int change = 0; change < changes; change++) {
                int index = random.nextInt(bytes.length);
                bytes[index] = switch (random.nextInt(4)) {
                    case 0 -> (byte) random.nextInt();
                    case 1 -> (byte) 0xFF;
                    case 2 -> (byte) (bytes[index] + 1);
                    default -> 0;
                };
            }
            FrameDecoderTest fresh = new FrameDecoderTest();
            int cut = random.nextInt(bytes.length);
            try {
                fresh.channel.writeInbound(
                        Unpooled.copiedBuffer(bytes, 0, cut), Unpooled.copiedBuffer(bytes, cut, bytes.length - cut));
            } catch (DecoderException refused) {
                assertThat(refused).as("seed %s round %s", seed, round).hasCauseInstanceOf(ProtocolException.class);
            }
            fresh.channel.finishAndReleaseAll();
        }
    }
}
