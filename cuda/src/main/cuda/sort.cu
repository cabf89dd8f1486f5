// The kernels of the sort; see sort.cuh.
#include "sort.cuh"

QUARREL_SORT_KERNEL(SortWords, sort_ranges, p) { quarrel::sort_ranges(p); }
QUARREL_SORT_KERNEL(SortWords, sort_words_32, p) { quarrel::sort_words<uint32_t>(p); }
QUARREL_SORT_KERNEL(SortWords, sort_words_64, p) { quarrel::sort_words<uint64_t>(p); }
QUARREL_SORT_KERNEL(SortPass, sort_count_32, p) { quarrel::sort_count<uint32_t>(p); }
QUARREL_SORT_KERNEL(SortPass, sort_count_64, p) { quarrel::sort_count<uint64_t>(p); }
QUARREL_SORT_KERNEL(SortPass, sort_scatter_32, p) { quarrel::sort_scatter<uint32_t>(p); }
QUARREL_SORT_KERNEL(SortPass, sort_scatter_64, p) { quarrel::sort_scatter<uint64_t>(p); }
QUARREL_SORT_KERNEL(SortGather, sort_gather, p) { quarrel::sort_gather(p); }
