package dev.quarrel.cuda.host;

import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.vm.ParameterBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The kernels, compiled by g++ for this machine's CPU and loaded: for tests on machines without a GPU.
///
/// It stays loaded as long as the process lives.
public final class HostLibrary {
    private static final List<String> FLAGS = List.of(
            "-O2",
            "-std=c++17",
            "-ffp-contract=off",
            "-fno-strict-aliasing",
            "-fwrapv", // as on the device
            "-U_FORTIFY_SOURCE",
            "-Wall",
            "-Wno-unknown-pragmas",
            "-shared",
            "-fPIC");
    private static final int BUILD_SECONDS = 900;
    /// What the compiler is to check when kernels run, such as `address,undefined`: whoever starts such a process
    /// loads the sanitizer first (`LD_PRELOAD`). Empty for nothing.
    private static final String SANITIZE = System.getProperty("quarrel.cuda.sanitize", "");
    /// A library that was built elsewhere, where there are neither sources nor compiler.
    private static final String BUILT = System.getProperty("quarrel.cuda.host_library");

    private static String compilerMissing = "not looked for";
    private static HostLibrary opened;

    private final Map<Kernel, MemorySegment> kernels = new EnumMap<>(Kernel.class);
    private final MethodHandle launch;
    private final MethodHandle poison;

    private HostLibrary(Path file) {
        SymbolLookup symbols = SymbolLookup.libraryLookup(file, Arena.global());
        for (Kernel kernel : Kernel.values()) {
            kernels.put(kernel, symbols.findOrThrow(kernel.symbol()));
        }
        launch = Linker.nativeLinker()
                .downcallHandle(
                        symbols.findOrThrow("quarrel_host_launch"),
                        FunctionDescriptor.of(
                                ValueLayout.ADDRESS,
                                ValueLayout.ADDRESS,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG));
        poison = Linker.nativeLinker()
                .downcallHandle(
                        symbols.findOrThrow("quarrel_host_poison"),
                        FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
        checkLayout(symbols.findOrThrow("quarrel_host_layout"));
    }

    /// Why it cannot be built here, or null.
    public static synchronized String missing() {
        if (BUILT != null) {
            return null;
        }
        if (sources() == null) {
            return "the kernels' sources are not here";
        }
        if (compilerMissing != null) {
            compilerMissing = lookForCompiler();
        }
        return compilerMissing;
    }

    private static String lookForCompiler() {
        try {
            Process process = new ProcessBuilder("g++", "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0 ? null : "g++ does not run";
        } catch (IOException absent) {
            return "g++ is not installed: " + absent.getMessage();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /// The library, built if its sources have changed since it was; one for the whole process.
    ///
    /// - Errors: [IllegalStateException] with the compiler's words.
    public static synchronized HostLibrary open() {
        if (opened == null) {
            opened = new HostLibrary(file());
        }
        return opened;
    }

    /// The library's file, built likewise.
    ///
    /// - Errors: as [#open].
    public static synchronized Path file() {
        if (BUILT != null) {
            return Path.of(BUILT);
        }
        Path sources = sources();
        if (sources == null) {
            throw new IllegalStateException(missing());
        }
        try {
            Path folder = sources.resolve("../../../target/cuda-host").normalize();
            Path file = folder.resolve("libquarrel-" + digest(sources) + ".so");
            if (!Files.exists(file)) {
                Files.createDirectories(folder);
                buildOnce(sources.resolve("host.cpp"), file);
            }
            return file;
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /// The folder of the kernels' sources, from this module's folder or one beside or below the root; null for none.
    public static Path sources() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            for (String folder : List.of("cuda/src/main/cuda", "src/main/cuda")) {
                if (Files.exists(at.resolve(folder).resolve("vm.cu"))) {
                    return at.resolve(folder);
                }
            }
        }
        return null;
    }

    private static List<String> flags() {
        List<String> flags = new ArrayList<>(FLAGS);
        if (!SANITIZE.isEmpty()) {
            flags.addAll(List.of("-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"));
            flags.add("-fsanitize=" + SANITIZE);
        }
        return flags;
    }

    private static String digest(Path sources) throws IOException {
        try (Stream<Path> files = Files.list(sources)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(flags().toString().getBytes(StandardCharsets.UTF_8));
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /// Of processes that need it at once, such as a test run's two, one builds it and the others wait.
    private static void buildOnce(Path source, Path file) throws IOException {
        Path lock = file.resolveSibling("building");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            if (!Files.exists(file)) {
                build(source, file);
            }
        }
    }

    private static void build(Path source, Path file) throws IOException {
        Path made = Files.createTempFile(file.getParent(), "build", ".so");
        Path words = Files.createTempFile(file.getParent(), "build", ".log");
        try {
            List<String> command = new ArrayList<>(List.of("g++"));
            command.addAll(flags());
            command.addAll(List.of("-o", made.toString(), source.toString()));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(words.toFile())
                    .start();
            if (!process.waitFor(BUILD_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("g++ did not end within " + BUILD_SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                throw new IllegalStateException("g++ failed: " + Files.readString(words));
            }
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        } finally {
            Files.deleteIfExists(made);
            Files.deleteIfExists(words);
        }
    }

    private static void checkLayout(MemorySegment function) {
        MethodHandle layout =
                Linker.nativeLinker().downcallHandle(function, FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
        int[] expected = ParameterBlock.layout();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(ValueLayout.JAVA_INT, expected.length);
            layout.invokeExact(found);
            int[] actual = found.toArray(ValueLayout.JAVA_INT);
            if (!Arrays.equals(actual, expected)) {
                throw new IllegalStateException(
                        "the parameters' layout is " + Arrays.toString(actual) + ", not " + Arrays.toString(expected));
            }
        } catch (RuntimeException | Error problem) {
            throw problem;
        } catch (Throwable problem) {
            throw new IllegalStateException(problem);
        }
    }

    /// Where the sanitizer is, it ends the process when a kernel touches this memory, until it may again.
    void poison(MemorySegment memory, boolean isPoisoned) {
        if (SANITIZE.isEmpty()) {
            return;
        }
        try {
            poison.invokeExact(memory, memory.byteSize(), isPoisoned ? 1 : 0);
        } catch (RuntimeException | Error problem) {
            throw problem;
        } catch (Throwable problem) {
            throw new IllegalStateException(problem);
        }
    }

    /// Runs a kernel; null, or what went wrong.
    ///
    /// @param seed decides the order in which threads run
    String launch(Kernel kernel, int blocks, int threads, int sharedBytes, MemorySegment parameters, long seed) {
        try {
            MemorySegment failure = (MemorySegment)
                    launch.invokeExact(kernels.get(kernel), parameters, blocks, threads, sharedBytes, seed);
            return failure.address() == 0
                    ? null
                    : failure.reinterpret(Long.MAX_VALUE).getString(0);
        } catch (RuntimeException | Error problem) {
            throw problem;
        } catch (Throwable problem) {
            throw new IllegalStateException(problem);
        }
    }
}
