package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.ByteBuffer;

/// Addresses of hosts and networks: inet, and cidr, which shows its length always.
///
/// - Source: PostgreSQL's `network.c`.
record NetworkForm(boolean isCidr) implements ValueForm {
    private static final int IPV4_FAMILY = 2;
    private static final int IPV6_FAMILY = 3;

    @Override
    public String read(String text, int typmod, PgParse.Moment moment) {
        return Network.parse(text, isCidr).text(isCidr);
    }

    @Override
    public void appendKey(String text, TextBuffer out) {
        Network.of(text).appendKey(out);
    }

    @Override
    public void send(String text, TextBuffer out) {
        Network network = Network.of(text);
        out.append((byte) (network.isIpv4() ? IPV4_FAMILY : IPV6_FAMILY));
        out.append((byte) network.bits());
        out.append((byte) (isCidr ? 1 : 0));
        out.append((byte) network.address().length);
        for (byte each : network.address()) {
            out.append(each);
        }
    }

    @Override
    public String receive(ByteBuffer bytes) {
        int family = bytes.get();
        int bits = bytes.get() & 0xFF;
        bytes.get(); // whether it is a cidr
        int size = bytes.get() & 0xFF;
        boolean isIpv4 = family == IPV4_FAMILY;
        String type = isCidr ? "cidr" : "inet";
        if (!isIpv4 && family != IPV6_FAMILY) {
            throw invalid("invalid address family in external \"" + type + "\" value");
        }
        if (bits > (isIpv4 ? 32 : 128)) {
            throw invalid("invalid bits in external \"" + type + "\" value");
        }
        if (size != (isIpv4 ? 4 : 16)) {
            throw invalid("invalid length in external \"" + type + "\" value");
        }
        byte[] address = new byte[size];
        bytes.get(address);
        Network network = new Network(address, bits);
        if (isCidr && !network.equals(network.network())) {
            throw invalid("invalid external \"cidr\" value").withDetail("Value has bits set to right of mask.");
        }
        return network.text(isCidr);
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_BINARY_REPRESENTATION, message);
    }
}
