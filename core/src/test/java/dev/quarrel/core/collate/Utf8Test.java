package dev.quarrel.core.collate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8Test {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());

    /// Texts of few letters, so that needles begin often and are there now and then, at every place of a word.
    @Test
    void needlesAreFound() {
        Random random = new Random(SEED);
        for (int round = 0; round < 50_000; round++) {
            String text = letters(random, random.nextInt(60));
            String needle = letters(random, random.nextInt(random.nextInt(5) == 0 ? 20 : 5));
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            byte[] padded = ("ab" + needle).getBytes(StandardCharsets.ISO_8859_1);
            int from = random.nextInt(text.length() + 1);
            int end = from + random.nextInt(text.length() - from + 1);
            int expected = text.substring(0, end).indexOf(needle, from);
            assertThat(Utf8.indexOf(bytes, from, end, padded, 2, needle.length()))
                    .as("seed %d: '%s' in '%s' [%d, %d)", SEED, needle, text, from, end)
                    .isEqualTo(expected);
        }
    }

    /// Letters beside which a search by words could go wrong: neighbours, zero, and bytes of the upper half.
    private static String letters(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < length; index++) {
            text.append("aab`\0\u0080\u0081\u00FF".charAt(random.nextInt(8)));
        }
        return text.toString();
    }
}
