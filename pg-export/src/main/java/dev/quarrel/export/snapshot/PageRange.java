package dev.quarrel.export.snapshot;

import java.util.ArrayList;
import java.util.List;

/// A run of a table's pages.
///
/// @param firstPage the first page
/// @param endPage the page after the last, or [#OPEN] for "to the end, wherever that is"
record PageRange(long firstPage, long endPage) {
    static final long OPEN = -1;

    // 1 MiB: below that a COPY's round trip costs more than its pages.
    private static final long MIN_PAGES = 128;

    // 128 MiB: so that a progress bar moves, and a lost range is soon read again.
    private static final long MAX_PAGES = 16_384;

    // A range is this part of a worker's share of what is left, so that ranges become smaller towards the end, and
    // all workers end at nearly the same time.
    private static final int PARTS = 2;

    /// Cuts a table of about `pageCount` pages for `workers` readers: the pages it has grown by since are in the last
    /// range.
    ///
    /// @param pagesAfter pages of other tables that the same readers read after it
    static List<PageRange> cut(long pageCount, long pagesAfter, int workers) {
        if (workers == 1 || pageCount <= MIN_PAGES) {
            return List.of(whole());
        }
        List<PageRange> ranges = new ArrayList<>();
        for (long first = 0; first < pageCount; ) {
            long left = pageCount - first;
            long pages = Math.clamp((left + pagesAfter) / ((long) workers * PARTS), MIN_PAGES, MAX_PAGES);
            boolean isLast = left < pages + MIN_PAGES;
            ranges.add(new PageRange(first, isLast ? OPEN : first + pages));
            first = isLast ? pageCount : first + pages;
        }
        return ranges;
    }

    /// All pages.
    static PageRange whole() {
        return new PageRange(0, OPEN);
    }

    boolean isWhole() {
        return firstPage == 0 && endPage == OPEN;
    }

    /// The pages of a table of about `pageCount`.
    long count(long pageCount) {
        return endPage == OPEN ? Math.max(pageCount - firstPage, 0) : endPage - firstPage;
    }

    /// The condition on `ctid`; empty for a whole table.
    String condition() {
        if (isWhole()) {
            return "";
        }
        String from = "ctid >= '(" + firstPage + ",0)'::tid";
        return endPage == OPEN ? from : from + " AND ctid < '(" + endPage + ",0)'::tid";
    }
}
