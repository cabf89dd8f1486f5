package dev.quarrel.calcite;

import dev.quarrel.core.device.Device;
import dev.quarrel.core.table.Catalog;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/// The embedded query engine: a catalog, the devices of this machine, one scheduler, and sessions over them.
///
/// `LocalEngine.open` opens one. Threads share it. Whoever opens it closes it, after its sessions.
public interface Engine extends AutoCloseable {
    /// A new session with default settings.
    ///
    /// @param user for `current_user`
    /// @param privileges which tables it may read; statements over others end in 42501
    SqlSession openSession(String user, TablePrivileges privileges);

    /// The same for one that may do everything.
    default SqlSession openSession(String user) {
        return openSession(user, TablePrivileges.OWNER);
    }

    /// An engine over another catalog, configured as this one, with its devices, workers, memory and temporary folder,
    /// and plans of its own. It is closed before this one.
    ///
    /// - Memory: the new engine owns the catalog from here on, also when opening fails.
    ///
    /// @param change makes the new engine's configuration of this one's: its database, its system tables and
    /// functions. What it says of resources does not count
    Engine beside(Catalog catalog, UnaryOperator<EngineConfig> change);

    Catalog catalog();

    /// The devices found, the CPU among them.
    List<Device> devices();

    /// Devices that are not there, by name, with the reason.
    Map<String, String> missingDevices();

    /// What it has done so far, and what it holds now: for whoever looks at it, now and then.
    EngineCounts counts();

    /// Starts to plan and run small statements over data of its own in the background, for some seconds at most, so
    /// that the first queries do not wait for classes and compilation. A second call does nothing; `close` ends it.
    void warmUp();

    /// Waits until what [#warmUp] started has ended.
    void awaitWarmUp() throws InterruptedException;

    @Override
    void close();
}
