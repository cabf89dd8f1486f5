package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Decodes LZ4 frames into one contiguous target, so that blocks which refer to earlier ones need no window.
///
/// Arrow's C++ writer makes such linked blocks, which lz4-java's own frame reader refuses. Checksums are skipped.
///
/// - Source: LZ4 frame format 1.6.2 and LZ4 block format.
final class Lz4Frame {
    private static final int MAGIC = 0x184D2204;
    private static final int MIN_MATCH = 4;

    private final MemorySegment source;
    private final MemorySegment target;
    private final long sourceEnd;
    private final long targetEnd;
    private long read;
    private long written;

    private Lz4Frame(MemorySegment source, MemorySegment target) {
        this.source = source;
        this.target = target;
        this.sourceEnd = source.byteSize();
        this.targetEnd = target.byteSize();
    }

    /// Decodes the one frame in `source`, which must fill `target` exactly.
    ///
    /// - Errors: [IllegalArgumentException] with the reason for a malformed frame; `target` is undefined then.
    static void decode(MemorySegment source, MemorySegment target) {
        Lz4Frame frame = new Lz4Frame(source, target);
        frame.decodeFrame();
        if (frame.written != frame.targetEnd) {
            throw new IllegalArgumentException(
                    "an LZ4 frame of " + frame.written + " bytes where " + frame.targetEnd + " were announced");
        }
    }

    private void decodeFrame() {
        if (readInt() != MAGIC) {
            throw new IllegalArgumentException("no LZ4 frame");
        }
        int flags = readByte();
        if (flags >>> 6 != 1) {
            throw new IllegalArgumentException("an LZ4 frame of version " + (flags >>> 6));
        }
        boolean blockChecksums = (flags & 0x10) != 0;
        boolean contentSize = (flags & 0x08) != 0;
        boolean dictionaryId = (flags & 0x01) != 0;
        if (dictionaryId) {
            throw new IllegalArgumentException("an LZ4 frame with a dictionary");
        }
        skip(1 + (contentSize ? 8 : 0) + 1);
        while (true) {
            int header = readInt();
            if (header == 0) {
                return;
            }
            int length = header & 0x7FFF_FFFF;
            if (length > sourceEnd - read) {
                throw new IllegalArgumentException("an LZ4 block ends outside its buffer");
            }
            if (header < 0) {
                copyLiterals(length);
            } else {
                decodeBlock(read + length);
            }
            if (blockChecksums) {
                skip(4);
            }
        }
    }

    private void decodeBlock(long blockEnd) {
        while (read < blockEnd) {
            int token = readByte();
            long literals = token >>> 4;
            if (literals == 15) {
                literals += readLength(blockEnd);
            }
            if (literals > blockEnd - read) {
                throw new IllegalArgumentException("LZ4 literals end outside their block");
            }
            copyLiterals(literals);
            if (read == blockEnd) {
                return; // the last sequence has no match
            }
            if (blockEnd - read < 2) {
                throw new IllegalArgumentException("an LZ4 block is cut short");
            }
            int distance = readByte() | readByte() << 8;
            long length = token & 15;
            if (length == 15) {
                length += readLength(blockEnd);
            }
            copyMatch(distance, length + MIN_MATCH);
        }
    }

    private long readLength(long blockEnd) {
        long length = 0;
        int part;
        do {
            if (read >= blockEnd) {
                throw new IllegalArgumentException("an LZ4 length is cut short");
            }
            part = readByte();
            length += part;
        } while (part == 255);
        return length;
    }

    private void copyLiterals(long length) {
        if (length > targetEnd - written) {
            throw new IllegalArgumentException("an LZ4 frame is longer than announced");
        }
        // Short runs are the rule: two words at once beat a call of a bulk copy.
        if (length <= 16 && sourceEnd - read >= 16 && targetEnd - written >= 16) {
            target.set(INT64, written, source.get(INT64, read));
            target.set(INT64, written + 8, source.get(INT64, read + 8));
        } else {
            MemorySegment.copy(source, read, target, written, length);
        }
        read += length;
        written += length;
    }

    private void copyMatch(int distance, long length) {
        if (distance == 0 || distance > written) {
            throw new IllegalArgumentException("an LZ4 match starts before its frame");
        }
        if (length > targetEnd - written) {
            throw new IllegalArgumentException("an LZ4 frame is longer than announced");
        }
        long from = written - distance;
        long to = written;
        long end = written + length;
        if (distance >= 8 && targetEnd - end >= 8) {
            // May write up to 7 bytes too far, which later output overwrites.
            for (; to < end; to += 8, from += 8) {
                target.set(INT64, to, target.get(INT64, from));
            }
        } else {
            for (; to < end; to++, from++) {
                target.set(ValueLayout.JAVA_BYTE, to, target.get(ValueLayout.JAVA_BYTE, from));
            }
        }
        written = end;
    }

    private int readByte() {
        if (read >= sourceEnd) {
            throw new IllegalArgumentException("an LZ4 frame is cut short");
        }
        return source.get(ValueLayout.JAVA_BYTE, read++) & 0xFF;
    }

    private int readInt() {
        if (sourceEnd - read < 4) {
            throw new IllegalArgumentException("an LZ4 frame is cut short");
        }
        int value = source.get(INT32, read);
        read += 4;
        return value;
    }

    private void skip(int bytes) {
        if (sourceEnd - read < bytes) {
            throw new IllegalArgumentException("an LZ4 frame is cut short");
        }
        read += bytes;
    }
}
