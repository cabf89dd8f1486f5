package dev.quarrel.cuda.vm;

/// The place of a table on the device.
///
/// @param size entries: see [TableKind]
/// @param base the key of entry 0
/// @param shift what is taken off keys before they are looked up
public record DeviceTable(TableKind kind, long data, long size, long base, long shift) {
    public DeviceTable(TableKind kind, long data, long size, long base) {
        this(kind, data, size, base, 0);
    }

    /// The same for keys that are less by so much.
    public DeviceTable shifted(long by) {
        return new DeviceTable(kind, data, size, base, shift + by);
    }
}
