package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The packets of a file, of which those in the buffer are taken one by one.
sealed interface Capture permits PcapCapture, PcapngCapture {
    /// Longer ones are taken for a damaged file: libpcap itself writes up to 256 KiB.
    int MAX_PACKET_BYTES = 16 << 20;

    /// The next packet of the buffer, whose bytes stay there until it is filled again.
    ///
    /// - Errors: `QueryException` 22P04 for what is no capture, 0A000 for a link type that is not read.
    ///
    /// @return false where the buffer has no whole packet more
    boolean next(CaptureBytes in, Packet to);

    /// - Errors: `QueryException` 22P04 for a file that begins as no capture does.
    static Capture of(String file, CaptureBytes in) {
        Capture capture = null;
        if (in.has(PcapngCapture.MIN_BLOCK_BYTES) && in.uint32(in.at(), true) == PcapngCapture.SECTION) {
            capture = new PcapngCapture(file);
        } else if (in.has(PcapCapture.HEADER_BYTES)) {
            capture = PcapCapture.of(file, in);
        }
        if (capture == null) {
            throw new QueryException(
                    SqlState.BAD_COPY_FILE_FORMAT, "file \"" + file + "\" begins neither as pcap nor as pcapng does");
        }
        return capture;
    }

    static QueryException damaged(String file, long offset, String why) {
        return new QueryException(
                SqlState.BAD_COPY_FILE_FORMAT, "file \"" + file + "\" is damaged at byte " + offset + ": " + why);
    }

    /// - Errors: `QueryException` 0A000 for one that is not read.
    static LinkType linkType(String file, int number) {
        LinkType link = LinkType.of(number);
        if (link == null) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "file \"" + file + "\" has packets of link type " + number + ", which is not read")
                    .withHint("Ethernet (1), Linux cooked (113, 276), raw IP (101) and loopback (0, 108) are.");
        }
        return link;
    }
}
