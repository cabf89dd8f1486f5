package dev.quarrel.calcite.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.calcite.sql.type.PostgresTypeFactory;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.List;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexLiteral;
import org.junit.jupiter.api.Test;

/// Bounds that leave another part of a column's values want another plan.
final class RangeGuardTest {
    private final RexMaker maker = new RexMaker(new RexBuilder(new PostgresTypeFactory()));

    /// For a column of 0 to 10,000, and a plan that was made for 10 to 20.
    private boolean holds(long low, long high) {
        LiftedLiteral lower = new LiftedLiteral(0, false, literal(10));
        LiftedLiteral upper = new LiftedLiteral(1, false, literal(20));
        RangeGuard guard = new RangeGuard(
                0, 10_000, List.of(new RangeGuard.Bound(lower, false), new RangeGuard.Bound(upper, true)), 0.001);
        return guard.holds(lifted -> literal(lifted.number() == 0 ? low : high));
    }

    private RexLiteral literal(long value) {
        return maker.integer(value, SqlType.INT4);
    }

    @Test
    void holdsForAsManyValues() {
        assertThat(holds(10, 20)).isTrue();
        assertThat(holds(5_000, 5_010)).isTrue();
        assertThat(holds(5_000, 5_090)).isTrue();
        assertThat(holds(5_000, 5_001)).isTrue();
    }

    @Test
    void doesNotHoldForTenTimesAsMany() {
        assertThat(holds(10, 200)).isFalse();
        assertThat(holds(-100, 20_000)).isFalse();
    }

    @Test
    void doesNotHoldWhereOneLiteralIsUnknown() {
        LiftedLiteral upper = new LiftedLiteral(0, false, literal(20));
        RangeGuard guard = new RangeGuard(0, 10_000, List.of(new RangeGuard.Bound(upper, true)), 0.002);
        assertThat(guard.holds(_ -> null)).isFalse();
    }
}
