package dev.quarrel.core.device;

/// Finds a device on this machine; registered for `ServiceLoader`.
public interface DeviceProvider {
    /// The device's name, also when there is none here.
    String name();

    /// Looks for the device: quick, without side effects when there is none, and it never throws.
    Probe probe(DeviceConfig config);

    /// The result of looking for the device.
    sealed interface Probe {
        record Found(Device device) implements Probe {}

        /// @param reason for people: what is missing, in the few words that EXPLAIN has room for
        /// @param remedy what to do about it, or ""
        record Missing(String reason, String remedy) implements Probe {
            /// The reason and the remedy.
            public String text() {
                return remedy.isEmpty() ? reason : reason + "; " + remedy;
            }
        }
    }
}
