package dev.quarrel.core.device;

import dev.quarrel.core.ir.AggregateKind;
import java.util.List;

/// The exact sums over pairs (y, x) that covariances, correlation and regressions are made of.
public enum PairSum {
    X,
    Y,
    XX,
    YY,
    XY;

    /// The sums that an aggregate needs, in the order of its partial columns.
    public static List<PairSum> of(AggregateKind kind) {
        return switch (kind) {
            case REGR_AVGX -> List.of(X);
            case REGR_AVGY -> List.of(Y);
            case REGR_SXX -> List.of(X, XX);
            case REGR_SYY -> List.of(Y, YY);
            case REGR_SXY, COVAR_POP, COVAR_SAMP -> List.of(X, Y, XY);
            case REGR_SLOPE, REGR_INTERCEPT -> List.of(X, Y, XX, XY);
            case CORR, REGR_R2 -> List.of(X, Y, XX, YY, XY);
            default -> List.of();
        };
    }
}
