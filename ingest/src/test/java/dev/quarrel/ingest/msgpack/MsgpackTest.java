package dev.quarrel.ingest.msgpack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/// Against msgpack-java: random values are skipped to their end, in one piece and in many, and read as they are.
class MsgpackTest {
    private static final long SEED = Long.getLong("quarrel.seed", 1);

    private static void pack(MessageBufferPacker out, Random random, int depth) throws IOException {
        switch (random.nextInt(depth > 4 ? 8 : 11)) {
            case 0 -> out.packNil();
            case 1 -> out.packBoolean(random.nextBoolean());
            case 2 -> out.packLong(random.nextLong() >> random.nextInt(64));
            case 3 -> out.packBigInteger(new BigInteger(64, random));
            case 4 -> out.packDouble(random.nextGaussian());
            case 5 -> out.packFloat(random.nextFloat());
            case 6 -> out.packString("x".repeat(random.nextInt(10) == 0 ? random.nextInt(70_000) : random.nextInt(40)));
            case 7 -> {
                int length = random.nextInt(300);
                out.packBinaryHeader(length);
                out.addPayload(new byte[length]);
            }
            case 8 -> {
                int length = new int[] {1, 2, 4, 8, 16, 3, 300}[random.nextInt(7)];
                out.packExtensionTypeHeader((byte) random.nextInt(-128, 128), length);
                out.addPayload(new byte[length]);
            }
            case 9 -> {
                int count = random.nextInt(20);
                out.packArrayHeader(count);
                for (int element = 0; element < count; element++) {
                    pack(out, random, depth + 1);
                }
            }
            default -> {
                int count = random.nextInt(18);
                out.packMapHeader(count);
                for (int element = 0; element < 2 * count; element++) {
                    pack(out, random, depth + 1);
                }
            }
        }
    }

    @Test
    void valuesEndWhereTheyEnd() throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < 300; round++) {
            byte[] value;
            try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
                pack(out, random, 0);
                value = out.toByteArray();
            }
            assertThat(Msgpack.skip(value, 0, value.length)).as("seed %d", SEED).isEqualTo(value.length);
            MsgpackSkipper skipper = new MsgpackSkipper(1 << 26);
            int come = 0;
            while (come < value.length) {
                come = Math.min(value.length, come + 1 + random.nextInt(value.length));
                assertThat(skipper.end(value, 0, come))
                        .as("seed %d", SEED)
                        .isEqualTo(come < value.length ? -1 : value.length);
            }
            for (int cut = 0; cut < value.length; cut += 1 + value.length / 50) {
                int end = cut;
                assertThatThrownBy(() -> Msgpack.skip(value, 0, end)).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Test
    void numbersAreWhatTheyAre() throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < 2000; round++) {
            long number = random.nextLong() >> random.nextInt(64);
            double real = random.nextGaussian();
            try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
                out.packLong(number).packDouble(real).packFloat((float) number);
                byte[] bytes = out.toByteArray();
                assertThat(Msgpack.integer(bytes, 0)).isEqualTo(number);
                int next = Msgpack.skip(bytes, 0, bytes.length);
                assertThat(Msgpack.real(bytes, next)).isEqualTo(real);
                assertThat(Msgpack.real(bytes, next + 9)).isEqualTo((float) number);
            }
            MsgpackWriter writer = new MsgpackWriter(8);
            writer.integer(number);
            writer.real(real);
            writer.text("t".repeat(round));
            try (MessageUnpacker in = MessagePack.newDefaultUnpacker(writer.toArray())) {
                assertThat(in.unpackLong()).isEqualTo(number);
                assertThat(in.unpackDouble()).isEqualTo(real);
                assertThat(in.unpackString()).hasSize(round);
            }
        }
    }

    @Test
    void claimsBeyondTheBoundAreErrorsAtOnce() {
        MsgpackSkipper skipper = new MsgpackSkipper(1000);
        assertThatThrownBy(() -> skipper.end(new byte[] {(byte) 0xDB, 0, 0, 4, 0}, 0, 5))
                .isInstanceOf(MsgpackException.class);
        MsgpackSkipper nested = new MsgpackSkipper(1000);
        assertThatThrownBy(() -> nested.end(new byte[] {(byte) 0xDF, -1, -1, -1, -1}, 0, 5))
                .isInstanceOf(MsgpackException.class);
    }
}
