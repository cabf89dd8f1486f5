package dev.quarrel.cuda.backend;

import java.util.ArrayList;
import java.util.List;

/// Times the launches of one queue by the device's clock: launches without anything between them are one stretch.
///
/// What cannot be timed goes untimed: no answer depends on it.
public final class LaunchClock implements AutoCloseable {
    private final CommandQueue queue;
    private final DeviceStamp origin; // or null: nothing is timed
    private final List<DeviceStamp> stamps = new ArrayList<>(); // begin, end, begin, end …

    /// @param origin an earlier one, which stays the caller's; or null
    public LaunchClock(CommandQueue queue, DeviceStamp origin) {
        this.queue = queue;
        this.origin = origin;
    }

    /// The origin of clocks from here on; null where nothing can be timed. Whether the device is lost the next command
    /// tells.
    public static DeviceStamp origin(CommandQueue queue) {
        try {
            return queue.stamp();
        } catch (DeviceFault _) {
            return null;
        }
    }

    /// Before a launch.
    public void begin() {
        if (stamps.size() % 2 == 0) {
            stamp();
        }
    }

    /// Before anything else is given to the queue, or waited for.
    public void end() {
        if (stamps.size() % 2 == 1) {
            stamp();
        }
    }

    private void stamp() {
        if (origin == null) {
            return;
        }
        try {
            stamps.add(queue.stamp());
        } catch (DeviceFault _) {
            // The next command tells of a device that is lost.
        }
    }

    /// Adds the stretches so far, once the queue has been waited for.
    public void addTo(BusyTime busy) {
        try {
            for (int stretch = 0; stretch + 1 < stamps.size(); stretch += 2) {
                busy.add(
                        stamps.get(stretch).secondsSince(origin),
                        stamps.get(stretch + 1).secondsSince(origin));
            }
        } catch (DeviceFault _) {
            // as above
        }
        close();
    }

    @Override
    public void close() {
        stamps.forEach(DeviceStamp::close);
        stamps.clear();
    }
}
