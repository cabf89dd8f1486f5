package dev.quarrel.cli.imports.pcap;

/// A file of libpcap's classic format, in either byte order, with times in micro- or nanoseconds.
///
/// - Source: draft-ietf-opsawg-pcap.
final class PcapCapture implements Capture {
    static final int HEADER_BYTES = 24;

    private static final int RECORD_BYTES = 16;
    private static final long MICROS = 0xA1B2C3D4L;
    private static final long NANOS = 0xA1B23C4DL;
    private static final int LINK_OFFSET = 20;
    private static final long LINK_MASK = 0x3FF_FFFF; // above are the bytes of a frame's checksum

    private final String file;
    private final boolean isBig;
    private final boolean isNanos;
    private final LinkType link;

    private PcapCapture(String file, boolean isBig, boolean isNanos, LinkType link) {
        this.file = file;
        this.isBig = isBig;
        this.isNanos = isNanos;
        this.link = link;
    }

    /// Takes the file's header; null where there is none.
    static PcapCapture of(String file, CaptureBytes in) {
        for (boolean isBig : new boolean[] {false, true}) {
            long magic = in.uint32(in.at(), isBig);
            if (magic == MICROS || magic == NANOS) {
                int number = (int) (in.uint32(in.at() + LINK_OFFSET, isBig) & LINK_MASK);
                in.skip(HEADER_BYTES);
                return new PcapCapture(file, isBig, magic == NANOS, Capture.linkType(file, number));
            }
        }
        return null;
    }

    @Override
    public boolean next(CaptureBytes in, Packet to) {
        if (!in.has(RECORD_BYTES)) {
            return false;
        }
        int at = in.at();
        long length = in.uint32(at + 8, isBig);
        if (length > MAX_PACKET_BYTES) {
            throw Capture.damaged(file, in.offset(), "a packet of " + length + " bytes");
        }
        if (!in.has(RECORD_BYTES + length)) {
            return false;
        }
        long fraction = in.uint32(at + 4, isBig);
        to.link = link;
        to.micros = in.uint32(at, isBig) * 1_000_000 + (isNanos ? fraction / 1000 : fraction);
        to.interfaceId = Packet.NONE;
        to.start = at + RECORD_BYTES;
        to.length = (int) length;
        to.wireLength = in.uint32(at + 12, isBig);
        in.skip(RECORD_BYTES + (int) length);
        return true;
    }
}
