package dev.quarrel.cuda.vm;

/// Where a table lies on the device.
///
/// @param size entries: see [TableKind]
/// @param base the key of entry 0
public record DeviceTable(TableKind kind, long data, long size, long base) {}
