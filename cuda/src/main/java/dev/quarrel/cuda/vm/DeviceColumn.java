package dev.quarrel.cuda.vm;

/// The place of a column's rows on the device; both buffers are padded to [ParameterBlock#PADDED_ROWS].
///
/// @param valid address of one bit a row, or 0 where every row is present
public record DeviceColumn(Physical physical, long data, long valid) {
    /// From a row on, a multiple of [ParameterBlock#PADDED_ROWS].
    public DeviceColumn from(int row) {
        return row == 0
                ? this
                : new DeviceColumn(physical, data + physical.bytes(row), valid == 0 ? 0 : valid + row / 8);
    }
}
