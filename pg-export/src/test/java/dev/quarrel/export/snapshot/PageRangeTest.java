package dev.quarrel.export.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PageRangeTest {
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 8", "128, 8", "129, 8", "1000, 1", "1000, 2", "80000, 2", "80000, 8", "10000000, 8"})
    void rangesFollowEachOtherWithoutGaps(long pages, int workers) {
        for (long after : new long[] {0, 1, 100_000}) {
            List<PageRange> ranges = PageRange.cut(pages, after, workers);
            long next = 0;
            long counted = 0;
            for (PageRange range : ranges) {
                assertThat(range.firstPage()).isEqualTo(next);
                next = range.endPage();
                assertThat(next == PageRange.OPEN).isEqualTo(range == ranges.getLast());
                counted += range.count(pages);
            }
            assertThat(counted).isEqualTo(pages);
        }
    }

    @Test
    void rangesBecomeSmallerTowardsTheEnd() {
        List<PageRange> ranges = PageRange.cut(80_000, 0, 2);
        assertThat(ranges.getFirst().count(80_000)).isEqualTo(16_384);
        assertThat(ranges.getLast().count(80_000)).isLessThan(256);
        assertThat(ranges).hasSizeBetween(15, 30);
        for (int index = 1; index < ranges.size() - 1; index++) {
            assertThat(ranges.get(index).count(80_000))
                    .isLessThanOrEqualTo(ranges.get(index - 1).count(80_000));
        }
    }
}
