package dev.quarrel.cuda.vm;

/// Where a column's rows lie on the device; both buffers are padded to [ParameterBlock#PADDED_ROWS].
///
/// @param valid address of one bit a row, or 0 where every row is present
public record DeviceColumn(Physical physical, long data, long valid) {}
