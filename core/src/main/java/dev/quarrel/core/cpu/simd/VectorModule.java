package dev.quarrel.core.cpu.simd;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The JDK's incubator module of the Vector API: there from the start (`--add-modules jdk.incubator.vector`), or loaded
/// when it is first asked for.
///
/// A JVM that starts with an incubator module leaves most of its AOT cache unused (classes linked beforehand, lambdas,
/// the graph of modules), and a short command takes half as long again. So a program whose JAR's manifest exports
/// `java.base/jdk.internal.module` starts without it, and it is loaded as the JDK itself loads the modules of its
/// agents; the JIT knows the module by its name, whenever it comes. A run that records an AOT cache does without
/// (`-Dquarrel.vector_api=off`): classes of a module that comes later cannot be in one.
///
/// - Source: `jdk.internal.module.Modules#loadModule`, `ModuleBootstrap` and `modules.cpp` of JDK 25.
public final class VectorModule {
    private static final Logger LOG = LoggerFactory.getLogger(VectorModule.class);
    private static final String NAME = "jdk.incubator.vector";

    private VectorModule() {}

    /// Whether the Vector API's classes can be used; the first call may take a tenth of a second.
    public static boolean isThere() {
        return Loaded.IS_THERE;
    }

    private static final class Loaded {
        static final boolean IS_THERE =
                isWanted() && (ModuleLayer.boot().findModule(NAME).isPresent() || load());

        private static boolean isWanted() {
            return !System.getProperty("quarrel.vector_api", "on").equals("off");
        }

        private static boolean load() {
            try {
                Class.forName("jdk.internal.module.Modules")
                        .getMethod("loadModule", String.class)
                        .invoke(null, NAME);
                return true;
            } catch (IllegalAccessException notExported) {
                return false; // a program that embeds the engine: its JVM's options say whether it is there
            } catch (ReflectiveOperationException | LinkageError changed) {
                LOG.debug("simd.module not loaded", changed);
                return false;
            }
        }
    }
}
