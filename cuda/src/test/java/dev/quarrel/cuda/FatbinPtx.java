package dev.quarrel.cuda;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// The PTX inside of a fatbin, read without NVIDIA's tools. The format is in no manual; this is what the pinned
/// compiler writes: a header, then entries of a header and what they hold, all little-endian.
final class FatbinPtx {
    private static final int MAGIC = 0xBA55ED50;
    private static final int PTX = 1;
    private static final long ZSTD = 0x8000;

    private FatbinPtx() {}

    /// The texts by their targets, `compute_75` and so on.
    ///
    /// @throws IOException where the file cannot be read, or is not what the compiler is known to write
    static Map<String, String> of(Path fatbin) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(fatbin)).order(ByteOrder.LITTLE_ENDIAN);
        if (file.capacity() < 16 || file.getInt(0) != MAGIC) {
            throw new IOException(fatbin + " is no fatbin");
        }
        Map<String, String> texts = new LinkedHashMap<>();
        int at = file.getShort(6);
        long end = at + file.getLong(8);
        while (at < end) {
            int headerBytes = file.getInt(at + 4);
            long bytes = file.getLong(at + 8);
            if (file.getShort(at) == PTX) {
                byte[] held =
                        Arrays.copyOfRange(file.array(), at + headerBytes, at + headerBytes + file.getInt(at + 16));
                if ((file.getLong(at + 40) & ZSTD) == 0) {
                    throw new IOException(fatbin + " holds PTX that is not compressed with ZSTD");
                }
                byte[] text = Zstd.decompress(held, Math.toIntExact(file.getLong(at + 56)));
                texts.put("compute_" + file.getInt(at + 28), new String(text, StandardCharsets.US_ASCII));
            }
            at = Math.toIntExact(at + headerBytes + bytes);
        }
        return texts;
    }
}
