package dev.quarrel.cuda.driver;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/// The driver of `fake_cuda.cpp`, built by g++ and loaded as this process' libcuda.so.1: the real facade and
/// the real JCuda run over it.
public final class FakeDriver {
    private static final Path SOURCE = Path.of("src/test/cpp/fake_cuda.cpp");
    private static final Path LIBRARY = Path.of("target/fake-cuda/libcuda.so.1").toAbsolutePath();

    private static MethodHandle reset;
    private static MethodHandle device;
    private static MethodHandle fail;
    private static MethodHandle calls;
    private static MethodHandle open;
    private static MethodHandle launch;
    private static MethodHandle kernels;

    private FakeDriver() {}

    /// A launch as the driver saw it.
    public record Launch(String kernel, int blocks, int threads, int sharedBytes, byte[] parameters) {}

    /// The driver's path, unused and with one device. Skips the test where there is no g++; fails it where
    /// everything is promised to be installed (`-Dquarrel.test.strict=true`).
    public static synchronized String start() {
        if (reset == null) {
            build();
            SymbolLookup symbols = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
            ValueLayout.OfInt number = ValueLayout.JAVA_INT;
            MemoryLayout pointer = ValueLayout.ADDRESS;
            device = function(
                    symbols,
                    "fake_device",
                    FunctionDescriptor.ofVoid(number, number, number, number, ValueLayout.JAVA_LONG));
            fail = function(symbols, "fake_fail", FunctionDescriptor.ofVoid(pointer, number, number));
            calls = function(symbols, "fake_calls", FunctionDescriptor.of(number, pointer));
            open = function(symbols, "fake_open", FunctionDescriptor.of(pointer));
            launch = function(symbols, "fake_launch", FunctionDescriptor.of(pointer, pointer, pointer, number));
            kernels = function(
                    symbols, "fake_kernels", FunctionDescriptor.of(number, pointer, number, ValueLayout.JAVA_LONG));
            reset = function(symbols, "fake_reset", FunctionDescriptor.ofVoid());
        }
        try {
            reset.invokeExact();
        } catch (Throwable problem) {
            throw new AssertionError(problem);
        }
        return LIBRARY.toString();
    }

    private static MethodHandle function(SymbolLookup symbols, String name, FunctionDescriptor shape) {
        return Linker.nativeLinker().downcallHandle(symbols.find(name).orElseThrow(), shape);
    }

    private static void build() {
        requireProgram("g++", "Debian: apt install g++");
        if (!Files.exists(SOURCE)) {
            throw new TestAbortedException("no " + SOURCE + " here: the GPU suite has tests without their sources");
        }
        try {
            Files.createDirectories(LIBRARY.getParent());
            if (Files.exists(LIBRARY)
                    && Files.getLastModifiedTime(LIBRARY).compareTo(Files.getLastModifiedTime(SOURCE)) > 0) {
                return;
            }
            // The name inside the library is what JCuda's own is linked against.
            Process compiler = new ProcessBuilder(
                            "g++",
                            "-std=c++17",
                            "-O1",
                            "-g",
                            "-Wall",
                            "-Wextra",
                            "-Wno-unused-function",
                            "-Werror",
                            "-shared",
                            "-fPIC",
                            "-fvisibility=hidden",
                            "-Wl,-soname,libcuda.so.1",
                            "-o",
                            LIBRARY.toString(),
                            SOURCE.toString())
                    .redirectErrorStream(true)
                    .start();
            String messages = new String(compiler.getInputStream().readAllBytes());
            if (compiler.waitFor() != 0) {
                throw new AssertionError(messages);
            }
        } catch (IOException problem) {
            throw new AssertionError(problem);
        } catch (InterruptedException problem) {
            Thread.currentThread().interrupt();
            throw new AssertionError(problem);
        }
    }

    /// Skips the test where a program is missing; fails it under `-Dquarrel.test.strict=true`.
    public static void requireProgram(String program, String remedy) {
        for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return;
            }
        }
        String reason = program + " is not installed: " + remedy;
        if (Boolean.getBoolean("quarrel.test.strict")) {
            throw new AssertionError(reason);
        }
        throw new TestAbortedException(reason);
    }

    /// Says what the machine has; before the driver is asked.
    public static void device(int count, int version, int major, int minor, long totalBytes) {
        try {
            device.invokeExact(count, version, major, minor, totalBytes);
        } catch (Throwable problem) {
            throw new AssertionError(problem);
        }
    }

    /// Lets a call fail once.
    ///
    /// @param after calls of it that still succeed
    public static void fail(String call, int code, int after) {
        try (Arena arena = Arena.ofConfined()) {
            fail.invokeExact(arena.allocateFrom(call), code, after);
        } catch (Throwable problem) {
            throw new AssertionError(problem);
        }
    }

    public static int calls(String call) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) calls.invokeExact(arena.allocateFrom(call));
        } catch (Throwable problem) {
            throw new AssertionError(problem);
        }
    }

    /// What is open, and buffers that were written past their end; empty when nothing is.
    public static String open() {
        try {
            return ((MemorySegment) open.invokeExact())
                    .reinterpret(1024)
                    .getString(0)
                    .strip();
        } catch (Throwable problem) {
            throw new AssertionError(problem);
        }
    }

    /// Lets kernels that were built for the host run, as those of any module.
    ///
    /// @param parameterBytes of each kernel's one parameter
    /// @param seed decides the order in which their threads run
    public static void kernels(Path library, int parameterBytes, long seed) {
        try (Arena arena = Arena.ofConfined()) {
            int code = (int) kernels.invokeExact(arena.allocateFrom(library.toString()), parameterBytes, seed);
            if (code != 0) {
                throw new AssertionError("cannot load " + library);
            }
        } catch (Throwable problem) {
            throw new AssertionError(problem);
        }
    }

    /// The last launch.
    public static Launch lastLaunch(int parameterBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment shape = arena.allocate(ValueLayout.JAVA_INT, 3);
            MemorySegment block = arena.allocate(parameterBytes);
            MemorySegment name = (MemorySegment) launch.invokeExact(shape, block, parameterBytes);
            return new Launch(
                    name.reinterpret(1024).getString(0),
                    shape.getAtIndex(ValueLayout.JAVA_INT, 0),
                    shape.getAtIndex(ValueLayout.JAVA_INT, 1),
                    shape.getAtIndex(ValueLayout.JAVA_INT, 2),
                    block.toArray(ValueLayout.JAVA_BYTE));
        } catch (Throwable problem) {
            throw new AssertionError(problem);
        }
    }
}
