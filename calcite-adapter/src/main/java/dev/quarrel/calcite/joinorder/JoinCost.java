package dev.quarrel.calcite.joinorder;

/// What a hash join costs beside its sides, in nanoseconds of one thread, roughly. The probe side streams through, and
// so
/// does what comes out.
///
/// The numbers are of the CPU device: a row that is built is copied, hashed and put into a table at a random place; a
/// probe costs as much as the part of the memory is slow that the table lies in.
public final class JoinCost {
    private static final double BUILD = 20;
    private static final double BUILD_FAR = 25;
    private static final double OUT = 3;
    private static final double PAIR = 2;
    private static final double TURN_MARGIN = 1.5;

    /// Of a build row: its key, some payload, its place in the table.
    private static final double ROW_BYTES = 32;

    private static final double NEAR = 1 << 18;
    private static final double MIDDLE = 1 << 21;
    private static final double FAR = 1 << 25;

    private JoinCost() {}

    public static double join(double probeRows, double buildRows, double rows) {
        double bytes = buildRows * ROW_BYTES;
        double build = buildRows * (BUILD + (bytes > MIDDLE ? BUILD_FAR : 0));
        return build + probeRows * probe(bytes) + rows * OUT;
    }

    /// Without keys every row is tried with every other.
    public static double product(double probeRows, double buildRows, double rows) {
        return join(probeRows, buildRows, rows) + probeRows * buildRows * PAIR;
    }

    private static double probe(double bytes) {
        if (bytes <= NEAR) {
            return 3;
        }
        return bytes <= MIDDLE ? 6 : bytes <= FAR ? 14 : 28;
    }

    /// Whether the right side of a semi, anti or outer join streams and its left side is built. Rows of the build side
    // come
    /// after all others and are read once more, and its table holds all columns: so this must pay clearly.
    public static boolean isTurned(double leftRows, double rightRows, double rows) {
        return TURN_MARGIN * join(rightRows, leftRows, rows) + leftRows * OUT < join(leftRows, rightRows, rows);
    }
}
