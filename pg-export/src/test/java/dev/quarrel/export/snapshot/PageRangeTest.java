package dev.quarrel.export.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PageRangeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 1, 1",
        "0, 8, 1",
        "128, 8, 1",
        "129, 8, 2",
        "1000, 1, 1",
        "1000, 2, 8",
        "80000, 2, 16",
        "80000, 8, 64",
        "10000000, 8, 611"
    })
    void rangesFollowEachOtherWithoutGaps(long pages, int workers, int count) {
        List<PageRange> ranges = PageRange.cut(pages, workers);
        assertThat(ranges).hasSize(count);
        long next = 0;
        for (int index = 0; index < count; index++) {
            PageRange range = ranges.get(index);
            assertThat(range.index()).isEqualTo(index);
            assertThat(range.firstPage()).isEqualTo(next);
            next = range.endPage();
            assertThat(next == PageRange.OPEN).isEqualTo(index == count - 1);
        }
    }
}
