package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.cuda.host.HostLibrary;
import dev.quarrel.cuda.vm.VmVerifierTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The kernels' tests once more, in a process whose kernels g++ has built with its sanitizers: reads and writes outside
/// of buffers, of shared memory and of the stack, and whatever C++ leaves undefined, end it.
@Tag("nightly")
class SanitizerTest {
    private static final String CHECKS = System.getProperty("quarrel.cuda.sanitize", "address,undefined");
    private static final List<Class<?>> TESTS = List.of(
            VmVerifierTest.class,
            OpcodeTest.class,
            ScanAggregateTest.class,
            FloatAggregateTest.class,
            SketchAggregateTest.class,
            GroupKeyTest.class,
            StarJoinTest.class,
            PassesTest.class,
            LeavingRowsTest.class,
            ChunkTest.class,
            TimeGroupsTest.class,
            PlainTextTest.class);

    @TempDir
    private Path folder;

    @Test
    void kernelsStayWithinTheirMemory() throws IOException, InterruptedException {
        Path report = folder.resolve("report");
        List<String> arguments = new ArrayList<>(List.of(report.toString()));
        TESTS.forEach(test -> arguments.add(test.getName()));
        Process process = start(DifferentialSuite.class, arguments);
        assertThat(process.waitFor()).as("%s", output()).isZero();
        assertThat(report).content().contains(" 0 failed, 0 skipped");
    }

    /// Otherwise the test above would say nothing.
    @Test
    void aReadPastTheEndIsSeen() throws IOException, InterruptedException {
        assertThat(start(PastTheEnd.class, List.of()).waitFor()).isNotZero();
        assertThat(output()).contains("ERROR: AddressSanitizer");
    }

    private Process start(Class<?> main, List<String> arguments) throws IOException, InterruptedException {
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        Process asked = new ProcessBuilder("g++", "-print-file-name=libasan.so").start();
        String library = new String(asked.getInputStream().readAllBytes()).strip();
        Assumptions.assumeTrue(asked.waitFor() == 0 && library.startsWith("/"), "g++ has no libasan.so");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-XX:-UseCompressedOops", // their low addresses are the sanitizer's
                "-Xmx2g",
                "-Dquarrel.cuda.sanitize=" + CHECKS,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        Stream.of("quarrel.seed", "quarrel.rounds")
                .filter(name -> System.getProperty(name) != null)
                .forEach(name -> command.add(1, "-D" + name + "=" + System.getProperty(name)));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("LD_PRELOAD", library);
        // The JVM leaves memory to the system, and handles faults itself.
        builder.environment()
                .put("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0");
        builder.environment().put("UBSAN_OPTIONS", "print_stacktrace=1");
        return builder.start();
    }

    /// The last that the process said.
    private String output() throws IOException {
        String all = Files.readString(folder.resolve("output"));
        return all.substring(Math.max(0, all.length() - 20_000));
    }
}
