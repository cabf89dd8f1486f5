package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.ir.IrBinary;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.encode.ProgramEncoder;
import dev.quarrel.cuda.facts.HopedFacts;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/// What the compiler made of the kernels, in the machine code of the fatbins: needs NVIDIA's disassembler,
/// which `cuda/build-fatbins` installs beside the compiler.
class SassGateTest {
    private static final Path FATBINS = Path.of("src/main/resources/dev/quarrel/cuda/fatbin");
    private static final int MAX_REGISTERS = 64;

    /// Kernels whose loads must be 16 bytes wide.
    private static final List<String> WIDE =
            List.of("probe_copy", "probe_read", "vm_i32", "vm_i64", "vm_block_i32", "vm_block_i64");

    /// Fused multiply-adds, and operations that the assembler might fuse, in PTX: without `.rn` it may.
    private static final Pattern FUSED =
            Pattern.compile("\\b(fma|mad)(\\.\\w+)*\\.f(32|64)\\b|\\b(mul|add|sub)(\\.ftz)?\\.f(32|64)\\b");

    private static final Pattern FUNCTION = Pattern.compile("^\\s*Function\\s*:?\\s*(\\w+):?");
    private static final Pattern ARCHITECTURE = Pattern.compile("^arch = (sm_\\d+)");
    private static final Pattern USAGE = Pattern.compile("REG:(\\d+) STACK:(\\d+) SHARED:(\\d+) LOCAL:(\\d+)");
    private static final Pattern INSTRUCTION =
            Pattern.compile("^\\s*/\\*[0-9a-f]{4,}\\*/\\s+(?:@!?U?P\\w+\\s+)?([A-Z][\\w.]*)");

    private record Usage(String kernel, String architecture, int registers, int stackBytes, int localBytes) {}

    @Test
    void noKernelSpillsOrUsesTooManyRegisters() throws IOException {
        Path cuobjdump = tool("cuobjdump");
        List<Usage> usages = new ArrayList<>();
        for (Path fatbin : fatbins()) {
            String architecture = "";
            String kernel = "";
            for (String line : lines(cuobjdump, "--dump-resource-usage", fatbin.toString())) {
                Matcher found = ARCHITECTURE.matcher(line);
                if (found.find()) {
                    architecture = found.group(1);
                }
                found = FUNCTION.matcher(line);
                if (found.find()) {
                    kernel = found.group(1);
                }
                found = USAGE.matcher(line);
                if (found.find()) {
                    usages.add(new Usage(
                            kernel,
                            architecture,
                            Integer.parseInt(found.group(1)),
                            Integer.parseInt(found.group(2)),
                            Integer.parseInt(found.group(4))));
                }
            }
        }
        assertThat(usages).hasSizeGreaterThanOrEqualTo(7 * 2);
        assertThat(usages).allSatisfy(usage -> {
            assertThat(usage.registers())
                    .as("registers of %s for %s", usage.kernel(), usage.architecture())
                    .isLessThanOrEqualTo(MAX_REGISTERS);
            assertThat(usage.stackBytes())
                    .as("stack of %s for %s", usage.kernel(), usage.architecture())
                    .isZero();
            assertThat(usage.localBytes()).as(usage.kernel()).isZero();
        });
    }

    @Test
    void instructionsAreWhatTheSourceMeans() throws IOException {
        Path cuobjdump = tool("cuobjdump");
        tool("nvdisasm");
        for (Path fatbin : fatbins()) {
            Map<String, List<String>> kernels = instructions(cuobjdump, fatbin);
            assertThat(kernels).as(fatbin.toString()).isNotEmpty();
            kernels.forEach((kernel, instructions) -> {
                assertThat(instructions)
                        .as("local memory in %s", kernel)
                        .noneMatch(code -> code.startsWith("LDL") || code.startsWith("STL"));
                if (WIDE.contains(kernel)) {
                    assertThat(instructions)
                            .as("16-byte loads in %s", kernel)
                            .anyMatch(code -> code.startsWith("LDG") && code.contains(".128"));
                }
            });
        }
    }

    /// A fused multiply-add rounds once where the CPU rounds twice. (Machine code has them in its divisions,
    /// which are right to the bit; so PTX is where to look.)
    @Test
    void nothingIsFused() throws IOException {
        Path cuobjdump = tool("cuobjdump");
        for (Path fatbin : fatbins()) {
            List<String> ptx = lines(cuobjdump, "--dump-ptx", fatbin.toString());
            assertThat(ptx).as(fatbin.toString()).anyMatch(line -> line.contains(".visible .entry"));
            assertThat(ptx)
                    .as(fatbin.toString())
                    .noneMatch(line -> FUSED.matcher(line).find());
        }
    }

    /// Whether the interpreter is short enough to keep pace with memory: what a warp issues for 32 rows of
    /// the benchmark's queries, over their programs as the encoder makes them of the planner's plans.
    /// [SassPath] says what is counted; a tile of a warp has eight times 32 rows, and all of them are taken
    /// to pass every filter.
    @ParameterizedTest
    @CsvSource({
        "q1.1, 0, 65",
        "q2.1, 0, 110",
        "q3.1, 0, 110",
        "q4.1, 0, 145",
        "q4.2, 0, 160",
        "q1.1, 100, 65",
        "q2.1, 100, 110",
        "q3.1, 100, 116",
        "q4.1, 100, 152",
        "q4.2, 100, 168"
    })
    void programsAreShort(String query, int scale, int most) throws IOException {
        isShort(query + " at scale " + scale, program(query, scale), most);
    }

    /// Query 1 of TPC-H, whose groups' cells blocks have. The longest way is that of products and sums of all 64 bits,
    /// and of a tile in which some rows have groups of their own; none of its tiles goes there.
    @Test
    void groupsOfBlocksAreShort() throws IOException {
        QueryPlan plan = TpchShapeTest.query1(TpchShapeTest.lineitem(1, 0, new Random(1)));
        Pipeline pipeline = plan.pipelines().getFirst();
        VmProgram program = ProgramEncoder.encode(
                        pipeline, new HopedFacts(plan, (Source.TableScan) pipeline.source(), null))
                .program();
        assertThat(program.block().words()).isPositive();
        isShort("TPC-H query 1", program, 710);
    }

    private static void isShort(String query, VmProgram program, int most) throws IOException {
        Path cuobjdump = tool("cuobjdump");
        tool("nvdisasm");
        List<String> lines = lines(
                cuobjdump,
                "--dump-sass",
                "--gpu-architecture",
                "sm_90",
                FATBINS.resolve("vm.fatbin").toString());
        SassPath path = new SassPath(SassPath.kernel(lines, Kernel.vm(program).symbol()));
        MemorySegment code = MemorySegment.ofArray(new long[program.code().size() * 2]);
        ParameterBlock.of(program, 1024, 227 << 10).writeCode(code);
        StringBuilder steps = new StringBuilder();
        int total = 0;
        for (int at = 0; at < program.code().size(); at++) {
            int[] words = new int[4];
            for (int word = 0; word < words.length; word++) {
                words[word] = code.get(ValueLayout.JAVA_INT_UNALIGNED, at * 16L + word * 4L);
            }
            VmOpcode op = program.code().get(at).op();
            int length = path.count(words, op == VmOpcode.END);
            total += length;
            steps.append(op).append(' ').append(length).append('\n');
        }
        int tileParts = VmProgram.LANE_ROWS;
        int bytes = program.columns().stream().mapToInt(Physical::width).sum();
        assertThat((double) total / tileParts)
                .as("warp instructions for 32 rows of %s: %d bytes a row%n%s", query, bytes, steps)
                .isLessThanOrEqualTo(most);
    }

    /// The program of the pipeline that scans the facts.
    ///
    /// @param scale factor of the data that widths of columns are chosen by; 0 for those of the types
    private static VmProgram program(String query, int scale) throws IOException {
        try (InputStream stream = SassGateTest.class.getResourceAsStream("ssb/" + query + ".plan")) {
            QueryPlan plan = IrBinary.decode(stream.readAllBytes());
            for (Pipeline pipeline : plan.pipelines()) {
                if (pipeline.source() instanceof Source.TableScan scan
                        && pipeline.sink() instanceof Sink.Aggregate
                        && scan.tableName().equals("lineorder")) {
                    HopedFacts facts = new HopedFacts(plan, scan, scale == 0 ? null : Lineorder.of(scan, scale));
                    return ProgramEncoder.encode(pipeline, facts).program();
                }
            }
        }
        throw new AssertionError("no pipeline of " + query + " aggregates lineorder");
    }

    /// The instructions of each kernel for compute capability 9.0, in the code's order.
    private static Map<String, List<String>> instructions(Path cuobjdump, Path fatbin) throws IOException {
        Map<String, List<String>> kernels = new TreeMap<>();
        List<String> current = new ArrayList<>();
        for (String line : lines(cuobjdump, "--dump-sass", "--gpu-architecture", "sm_90", fatbin.toString())) {
            Matcher found = FUNCTION.matcher(line);
            if (found.find()) {
                current = kernels.computeIfAbsent(found.group(1), _ -> new ArrayList<>());
            }
            found = INSTRUCTION.matcher(line);
            if (found.find()) {
                current.add(found.group(1));
            }
        }
        return kernels;
    }

    private static List<Path> fatbins() throws IOException {
        try (Stream<Path> files = Files.list(FATBINS)) {
            return files.filter(file -> file.toString().endsWith(".fatbin"))
                    .sorted()
                    .toList();
        }
    }

    /// One of NVIDIA's programs; the test is skipped where the compiler's environment is not.
    private static Path tool(String name) throws IOException {
        String shared = System.getenv("QUARREL_NVCC_VENV");
        Path environment = shared == null ? Path.of("target/nvcc-venv") : Path.of(shared);
        Path libraries = environment.resolve("lib");
        if (Files.isDirectory(libraries)) {
            try (Stream<Path> pythons = Files.list(libraries)) {
                for (Path python : pythons.toList()) {
                    Path program =
                            python.resolve("site-packages/nvidia/cu13/bin").resolve(name);
                    if (Files.isExecutable(program)) {
                        return program;
                    }
                }
            }
        }
        throw new TestAbortedException(
                "no " + name + " in " + environment + ": cuda/build-fatbins --venv-only installs it");
    }

    private static List<String> lines(Path program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // cuobjdump looks for nvdisasm on the path.
        builder.environment().merge("PATH", program.getParent().toString(), (path, own) -> own + ":" + path);
        Process process = builder.start();
        List<String> lines = process.inputReader().lines().toList();
        try {
            assertThat(process.waitFor()).as("%s", lines).isZero();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupt);
        }
        return lines;
    }
}
