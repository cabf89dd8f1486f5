package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// A file of pcapng: blocks in sections, each of which has its byte order and its interfaces. Blocks that are neither
/// packets nor interfaces are passed over.
///
/// - Source: draft-ietf-opsawg-pcapng.
final class PcapngCapture implements Capture {
    static final int MIN_BLOCK_BYTES = 12;
    static final long SECTION = 0x0A0D0D0AL;

    private static final long BYTE_ORDER = 0x1A2B3C4DL;
    private static final int INTERFACE = 1;
    private static final int OLD_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;

    private static final int OPTION_RESOLUTION = 9;
    private static final int OPTION_OFFSET = 14;

    private final String file;
    private final List<Interface> interfaces = new ArrayList<>();
    private boolean isBig;

    PcapngCapture(String file) {
        this.file = file;
    }

    /// @param link a number, which matters only if there are packets
    /// @param resolution 10 to the power of minus it, or with the high bit set 2 to the power of minus the rest
    /// @param offset seconds that are added to times
    private record Interface(int link, long maxBytes, int resolution, long offset) {}

    @Override
    public boolean next(CaptureBytes in, Packet to) {
        while (in.has(MIN_BLOCK_BYTES)) {
            int at = in.at();
            boolean isSection = in.uint32(at, true) == SECTION;
            if (isSection) {
                startSection(in, at);
            }
            long size = in.uint32(at + 4, isBig);
            if (size < MIN_BLOCK_BYTES || size % 4 != 0 || size > MAX_PACKET_BYTES) {
                throw Capture.damaged(file, in.offset(), "a block of " + size + " bytes");
            }
            if (!in.has(size)) {
                return false;
            }
            int end = at + (int) size - 4;
            if (in.uint32(end, isBig) != size) {
                throw Capture.damaged(file, in.offset(), "a block's two lengths differ");
            }
            boolean isPacket = !isSection && block(in, at, end, to);
            in.skip((int) size);
            if (isPacket) {
                return true;
            }
        }
        return false;
    }

    private void startSection(CaptureBytes in, int at) {
        boolean isOther = in.uint32(at + 8, true) == BYTE_ORDER;
        if (!isOther && in.uint32(at + 8, false) != BYTE_ORDER) {
            throw Capture.damaged(file, in.offset(), "a section without a byte order");
        }
        isBig = isOther;
        interfaces.clear();
    }

    /// @return whether it is a packet
    private boolean block(CaptureBytes in, int at, int end, Packet to) {
        long type = in.uint32(at, isBig);
        int body = at + 8;
        if (type == INTERFACE) {
            require(in, end - body >= 8);
            interfaces.add(described(in, body, end));
            return false;
        }
        if (type == ENHANCED_PACKET || type == OLD_PACKET) {
            require(in, end - body >= 20);
            to.interfaceId = type == OLD_PACKET ? in.uint16(body, isBig) : in.uint32(body, isBig);
            Interface from = from(in, to.interfaceId);
            to.micros = micros(in.uint32(body + 4, isBig) << 32 | in.uint32(body + 8, isBig), from);
            long length = in.uint32(body + 12, isBig);
            require(in, length <= end - body - 20);
            to.start = body + 20;
            to.length = (int) length;
            to.wireLength = in.uint32(body + 16, isBig);
            to.link = Capture.linkType(file, from.link);
            return true;
        }
        if (type == SIMPLE_PACKET) {
            require(in, end - body >= 4);
            to.interfaceId = 0;
            Interface from = from(in, 0);
            to.micros = Packet.NONE;
            to.start = body + 4;
            to.wireLength = in.uint32(body, isBig);
            long kept = from.maxBytes == 0 ? to.wireLength : Math.min(to.wireLength, from.maxBytes);
            to.length = (int) Math.min(kept, end - to.start);
            to.link = Capture.linkType(file, from.link);
            return true;
        }
        return false;
    }

    private Interface from(CaptureBytes in, long number) {
        if (number >= interfaces.size()) {
            throw Capture.damaged(file, in.offset(), "a packet of interface " + number + ", which is not described");
        }
        return interfaces.get((int) number);
    }

    private void require(CaptureBytes in, boolean isWhole) {
        if (!isWhole) {
            throw Capture.damaged(file, in.offset(), "a block is too short for what it is");
        }
    }

    private Interface described(CaptureBytes in, int body, int end) {
        int resolution = 6;
        long offset = 0;
        int at = body + 8;
        while (at + 4 <= end) {
            int code = in.uint16(at, isBig);
            int length = in.uint16(at + 2, isBig);
            at += 4;
            if (code == 0) {
                break;
            }
            require(in, at + length <= end);
            if (code == OPTION_RESOLUTION && length == 1) {
                resolution = in.buffer()[at] & 0xFF;
            } else if (code == OPTION_OFFSET && length == 8) {
                offset = in.int64(at, isBig);
            }
            at += length + 3 & ~3;
        }
        return new Interface(in.uint16(body, isBig), in.uint32(body + 4, isBig), resolution, offset);
    }

    private long micros(long ticks, Interface from) {
        try {
            return Math.addExact(micros(ticks, from.resolution), Math.multiplyExact(from.offset, 1_000_000L));
        } catch (ArithmeticException _) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "file \"" + file + "\": timestamp out of range");
        }
    }

    private static long micros(long ticks, int resolution) {
        int power = resolution & 0x7F;
        if (resolution != power) {
            if (power >= Long.SIZE) {
                return 0; // less than a second since 1970, and no clock's
            }
            long seconds = power == 0 ? ticks : ticks >>> power;
            long rest = power == 0 ? 0 : ticks & (1L << power) - 1;
            // rest * 1,000,000 / 2^power, of 128 bits
            long high = Math.unsignedMultiplyHigh(rest, 1_000_000L);
            long low = rest * 1_000_000L;
            long fraction = power == 0 ? 0 : high << Long.SIZE - power | low >>> power;
            return Math.addExact(unsignedTimes(seconds, 1_000_000), fraction);
        }
        if (power <= 6) {
            return unsignedTimes(ticks, Math.powExact(10L, 6 - power));
        }
        return power - 6 > 18 ? 0 : Long.divideUnsigned(ticks, Math.powExact(10L, power - 6));
    }

    private static long unsignedTimes(long count, long factor) {
        if (count < 0) {
            throw new ArithmeticException("more than 63 bits");
        }
        return Math.multiplyExact(count, factor);
    }
}
