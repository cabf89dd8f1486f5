package dev.quarrel.calcite.joinorder;

/// What a hash join costs beside its sides, in nanoseconds of one thread, roughly. The probe side streams through, and
/// so does what comes out.
///
/// The numbers are of the CPU device: a row that is built is copied, hashed and put into a table at a random place; a
/// probe costs as much as the part of the memory is slow that the table lies in.
public final class JoinCost {
    private static final double BUILD = 20;
    private static final double BUILD_FAR = 25;

    /// What has been joined has columns of several relations: it is copied value by value, and its keys are no
    /// column's.
    private static final double BUILD_JOINED = 150;

    /// One integer is a place in a table, or one hash; several keys are put together row by row.
    private static final double SEVERAL_KEYS = 40;

    private static final double OUT = 3;
    private static final double PAIR = 2;
    private static final double TURN_MARGIN = 1.5;
    private static final double SORT_STEP = 3;
    private static final double SEARCH = 10;
    private static final double SEARCH_STEP = 2;

    /// The share of a key's rows between two bounds, or on one side of one.
    private static final double INSIDE = 0.02;

    private static final double BEYOND = 0.4;

    /// Of a build row: its key, some payload, its place in the table.
    private static final double ROW_BYTES = 32;

    private static final double NEAR = 1 << 18;
    private static final double MIDDLE = 1 << 21;
    private static final double FAR = 1 << 25;

    private JoinCost() {}

    /// @param buildsJoined whether the side that is built is joined itself
    /// @param keys columns that rows are found by
    public static double join(double probeRows, double buildRows, double rows, boolean buildsJoined, int keys) {
        double bytes = buildRows * ROW_BYTES;
        double wide = keys > 1 ? SEVERAL_KEYS : 0;
        double build = BUILD + (bytes > MIDDLE ? BUILD_FAR : 0) + (buildsJoined ? BUILD_JOINED : 0);
        return buildRows * (build + wide) + probeRows * (probe(bytes) + wide) + rows * OUT;
    }

    /// Without keys every row is tried with every other.
    public static double product(double probeRows, double buildRows, double rows, boolean buildsJoined) {
        return join(probeRows, buildRows, rows, buildsJoined, 1) + probeRows * buildRows * PAIR;
    }

    /// What the pairs cost of which a condition beside equal keys is asked.
    public static double pairs(double probeRows, double candidates) {
        return probeRows * candidates * PAIR;
    }

    /// What a range costs: the build rows of each key are sorted, and each probe row searches twice.
    ///
    /// @param perKey build rows of a key
    /// @param hasBothEnds whether the range is a part of a key's rows that does not grow with their number
    public static double range(double probeRows, double buildRows, double perKey, boolean hasBothEnds) {
        double steps = Math.log(perKey) / Math.log(2);
        return buildRows * SORT_STEP * steps
                + probeRows * (SEARCH + SEARCH_STEP * steps)
                + pairs(probeRows, perKey * (hasBothEnds ? INSIDE : BEYOND));
    }

    private static double probe(double bytes) {
        if (bytes <= NEAR) {
            return 3;
        }
        return bytes <= MIDDLE ? 6 : bytes <= FAR ? 14 : 28;
    }

    /// Whether the sides of a join change places whose conditions cost so much more one way than the other; what comes
    /// out is the same.
    ///
    /// @param cost of the conditions, as it is
    /// @param turned of the conditions, turned
    public static boolean isTurned(double leftRows, double rightRows, double cost, double turned) {
        return TURN_MARGIN * (join(rightRows, leftRows, 0, false, 1) + turned) + leftRows * OUT
                < join(leftRows, rightRows, 0, false, 1) + cost;
    }

    /// Whether the right side of a semi, anti or outer join streams and its left side is built. Rows of the build side
    /// come after all others and are read once more, and its table holds all columns: so this must pay clearly.
    public static boolean isTurned(double leftRows, double rightRows, double rows) {
        return TURN_MARGIN * join(rightRows, leftRows, rows, false, 1) + leftRows * OUT
                < join(leftRows, rightRows, rows, false, 1);
    }
}
