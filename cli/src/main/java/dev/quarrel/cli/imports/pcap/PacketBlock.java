package dev.quarrel.cli.imports.pcap;

import java.util.Arrays;

/// Packets that lie one after another in an array of bytes, and what the file says of them.
final class PacketBlock {
    static final int MAX_PACKETS = 1 << 17;

    private static final int FIRST_PACKETS = 1 << 10;

    private byte[] bytes;
    private LinkType[] links = new LinkType[FIRST_PACKETS];
    private int[] starts = new int[FIRST_PACKETS];
    private int[] lengths = new int[FIRST_PACKETS];
    private long[] wireLengths = new long[FIRST_PACKETS];
    private long[] micros = new long[FIRST_PACKETS];
    private long[] interfaceIds = new long[FIRST_PACKETS];
    private int count;

    void add(Packet packet) {
        if (count == starts.length) {
            grow();
        }
        links[count] = packet.link;
        starts[count] = packet.start;
        lengths[count] = packet.length;
        wireLengths[count] = packet.wireLength;
        micros[count] = packet.micros;
        interfaceIds[count++] = packet.interfaceId;
    }

    private void grow() {
        links = Arrays.copyOf(links, 2 * count);
        starts = Arrays.copyOf(starts, 2 * count);
        lengths = Arrays.copyOf(lengths, 2 * count);
        wireLengths = Arrays.copyOf(wireLengths, 2 * count);
        micros = Arrays.copyOf(micros, 2 * count);
        interfaceIds = Arrays.copyOf(interfaceIds, 2 * count);
    }

    /// @param all what the packets lie in
    void complete(byte[] all) {
        bytes = all;
    }

    byte[] bytes() {
        return bytes;
    }

    int count() {
        return count;
    }

    LinkType link(int index) {
        return links[index];
    }

    int start(int index) {
        return starts[index];
    }

    int end(int index) {
        return starts[index] + lengths[index];
    }

    long wireLength(int index) {
        return wireLengths[index];
    }

    /// As [Packet#micros].
    long micros(int index) {
        return micros[index];
    }

    /// As [Packet#interfaceId].
    long interfaceId(int index) {
        return interfaceIds[index];
    }
}
