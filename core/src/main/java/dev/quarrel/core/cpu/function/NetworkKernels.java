package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.pg.MacForm;
import dev.quarrel.core.pg.Network;
import dev.quarrel.core.pg.Networks;
import java.math.BigInteger;
import java.util.Map;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/// Functions of network addresses and of network cards' addresses.
///
/// - Source: PostgreSQL's `network.c`, `mac.c`, `mac8.c`.
final class NetworkKernels {
    private static final int LOCAL_BIT = 2;

    private NetworkKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        BitKernels.put(kernels, "network_broadcast", in -> inet(network(in, 0).broadcast()));
        BitKernels.put(kernels, "network_hostmask", in -> inet(network(in, 0).hostmask()));
        BitKernels.put(kernels, "network_netmask", in -> inet(network(in, 0).netmask()));
        BitKernels.put(kernels, "network_network", in -> cidr(network(in, 0)));
        BitKernels.put(kernels, "inet_abbrev", in -> inet(network(in, 0)));
        BitKernels.put(kernels, "inet_of_cidr", in -> inet(network(in, 0)));
        BitKernels.put(kernels, "cidr_abbrev", in -> Networks.abbreviated(network(in, 0)));
        BitKernels.put(kernels, "network_host", in -> network(in, 0).host());
        BitKernels.put(kernels, "network_show", in -> network(in, 0).text(true));
        BitKernels.put(kernels, "network_family", in -> network(in, 0).isIpv4() ? 4L : 6L);
        BitKernels.put(kernels, "network_masklen", in -> (long) network(in, 0).bits());
        BitKernels.put(kernels, "inet_set_masklen", in -> inet(Networks.withLength(network(in, 0), in.int32(1))));
        BitKernels.put(kernels, "cidr_set_masklen", in -> cidr(Networks.withLength(network(in, 0), in.int32(1))));
        BitKernels.put(
                kernels,
                "inet_same_family",
                in -> network(in, 0).isIpv4() == network(in, 1).isIpv4());
        BitKernels.put(kernels, "inet_merge", in -> cidr(network(in, 0).merge(network(in, 1))));
        BitKernels.put(kernels, "network_sub", in -> isStrictlyWithin(network(in, 0), network(in, 1)));
        BitKernels.put(kernels, "network_sup", in -> isStrictlyWithin(network(in, 1), network(in, 0)));
        BitKernels.put(kernels, "network_subeq", in -> network(in, 0).isWithin(network(in, 1)));
        BitKernels.put(kernels, "network_supeq", in -> network(in, 1).isWithin(network(in, 0)));
        BitKernels.put(kernels, "network_overlap", in -> network(in, 0).overlaps(network(in, 1)));
        BitKernels.put(kernels, "inetnot", in -> inet(Networks.not(network(in, 0))));
        BitKernels.put(
                kernels,
                "inetand",
                in -> inet(Networks.combined(network(in, 0), network(in, 1), "AND", (one, two) -> one & two)));
        BitKernels.put(
                kernels,
                "inetor",
                in -> inet(Networks.combined(network(in, 0), network(in, 1), "OR", (one, two) -> one | two)));
        BitKernels.put(kernels, "inetpl", in -> inet(Networks.plus(network(in, 0), number(in, 1))));
        BitKernels.put(kernels, "int8pl_inet", in -> inet(Networks.plus(network(in, 1), number(in, 0))));
        // As PostgreSQL, which takes the least bigint for its own negation.
        BitKernels.put(
                kernels, "inetmi_int8", in -> inet(Networks.plus(network(in, 0), BigInteger.valueOf(-in.int64(1)))));
        BitKernels.put(kernels, "inetmi", in -> Networks.difference(network(in, 0), network(in, 1)));
        for (String type : new String[] {"macaddr", "macaddr8"}) {
            BitKernels.put(kernels, type + "_not", in -> combined(mac(in, 0), mac(in, 0), (one, _) -> ~one));
            BitKernels.put(kernels, type + "_and", in -> combined(mac(in, 0), mac(in, 1), (one, two) -> one & two));
            BitKernels.put(kernels, type + "_or", in -> combined(mac(in, 0), mac(in, 1), (one, two) -> one | two));
            BitKernels.put(kernels, type + "_trunc", in -> {
                byte[] bytes = mac(in, 0);
                java.util.Arrays.fill(bytes, 3, bytes.length, (byte) 0);
                return MacForm.text(bytes);
            });
        }
        BitKernels.put(kernels, "macaddr8_set7bit", in -> {
            byte[] bytes = mac(in, 0);
            bytes[0] |= LOCAL_BIT;
            return MacForm.text(bytes);
        });
        BitKernels.put(kernels, "macaddrtomacaddr8", in -> MacForm.text(MacForm.widened(mac(in, 0))));
        BitKernels.put(kernels, "macaddr8tomacaddr", in -> MacForm.text(MacForm.narrowed(mac(in, 0))));
    }

    private static boolean isStrictlyWithin(Network inner, Network outer) {
        return inner.bits() > outer.bits() && inner.isWithin(outer);
    }

    private static String combined(byte[] left, byte[] right, IntBinaryOperator operator) {
        for (int index = 0; index < left.length; index++) {
            left[index] = (byte) operator.applyAsInt(left[index], right[index]);
        }
        return MacForm.text(left);
    }

    private static Network network(Arguments in, int argument) {
        return Network.of(BitKernels.text(in, argument));
    }

    private static byte[] mac(Arguments in, int argument) {
        return MacForm.bytes(BitKernels.text(in, argument));
    }

    private static BigInteger number(Arguments in, int argument) {
        return BigInteger.valueOf(in.int64(argument));
    }

    private static String inet(Network network) {
        return network.text(false);
    }

    private static String cidr(Network network) {
        return network.network().text(true);
    }
}
