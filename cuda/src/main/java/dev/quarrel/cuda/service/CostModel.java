package dev.quarrel.cuda.service;

import dev.quarrel.cuda.backend.Calibration;

/// Estimates the seconds that a pipeline takes on the device, from the bytes and lookups that it cannot do
/// without.
///
/// @param rates of the device
public record CostModel(Calibration rates) {
    /// What kernels reach of the rates that kernels doing one thing alone do.
    private static final double SHARE = 0.6;
    /// How often columns that stay are expected to be read: bringing them is spread over so many queries.
    private static final double USES = 4;
    /// From one launch to the next in the same queue.
    private static final double NEXT_LAUNCH = 4e-6;
    /// Launches waited for besides the scan's: tables, cells, the answer.
    private static final int WAITS = 4;
    /// Tables and cells pass through arrays of the host.
    private static final double HOST_BYTES = 1e9;

    /// What there is to do.
    ///
    /// @param columnBytes that kernels read
    /// @param absentBytes of those that are to be copied first
    /// @param stays whether what is copied stays for later queries
    /// @param lookups into tables
    /// @param otherBytes of tables and cells, made for this pipeline
    /// @param leavingBytes of rows that are copied to the host, in the end
    public record Work(
            long columnBytes,
            long absentBytes,
            boolean stays,
            long lookups,
            long otherBytes,
            int batches,
            long leavingBytes) {}

    public double seconds(Work work) {
        double kernels = Math.max(
                work.columnBytes() / (SHARE * rates.memoryBytes()), work.lookups() / (SHARE * rates.lookups()));
        double copies = work.absentBytes() / (SHARE * rates.linkBytes()) / (work.stays() ? USES : 1);
        double others = work.otherBytes() / rates.linkBytes() + work.otherBytes() / HOST_BYTES;
        double leaving = work.leavingBytes() / (SHARE * rates.linkBytes());
        return WAITS * rates.launchSeconds()
                + Math.max(kernels + work.batches() * NEXT_LAUNCH, copies)
                + others
                + leaving;
    }
}
