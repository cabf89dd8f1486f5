package dev.quarrel.cli;

import dev.quarrel.core.run.StopHook;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What SIGTERM and ctrl-C mean to a server: the first one asks it to finish what it does and end, with exit code 0,
/// the second one ends it at once. While it starts there is nothing to finish, and the first one ends it.
///
/// The JVM's own way, a hook of its shutdown, knows no second signal and no exit code but the signal's; it is taken
/// where signals cannot be had (`-Xrs`).
final class StopSignals implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StopSignals.class);
    private static final int BY_SIGNAL = 128;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean isStarted;
    private StopHook hook; // null where signals can be had

    StopSignals() {
        if (!handle("TERM") | !handle("INT")) {
            hook = new StopHook(asked::countDown);
        }
    }

    /// By reflection: the class is the JDK's, but of no module that one may count on.
    private boolean handle(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object made = signal.getConstructor(String.class).newInstance(name);
            int number = (int) signal.getMethod("getNumber").invoke(made);
            Object ours = Proxy.newProxyInstance(
                    StopSignals.class.getClassLoader(),
                    new Class<?>[] {handler},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "handle" -> {
                            came(name, number);
                            yield null;
                        }
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> "stop signals";
                    });
            signal.getMethod("handle", signal, handler).invoke(null, made, ours);
            return true;
        } catch (ReflectiveOperationException unavailable) {
            LOG.debug("stop.no_signal signal={} reason={}", name, unavailable.toString());
            return false;
        }
    }

    private void came(String name, int number) {
        if (!isStarted) {
            System.exit(BY_SIGNAL + number);
        }
        if (count.incrementAndGet() > 1) {
            LOG.warn("server.stop_at_once signal={}", name);
            Runtime.getRuntime().halt(BY_SIGNAL + number);
        }
        LOG.info("server.stop_asked signal={}", name);
        asked.countDown();
    }

    /// Says that the server runs, and waits for a signal.
    void awaitAsked() throws InterruptedException {
        isStarted = true;
        asked.await();
    }

    @Override
    public void close() {
        if (hook != null) {
            hook.close();
        }
    }
}
