package dev.quarrel.bench;

import dev.quarrel.cuda.host.HostLibrary;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Tests and measures the CUDA device on a machine that has nothing but a GPU, its driver and this bundle:
/// `bench/run gpu-bundle` makes it, `./run` in it starts this.
///
/// Each part runs in a process of its own, so that one that dies takes none of the others along; what they
/// find goes into one Markdown file, part by part.
public final class GpuSuite {
    private static final List<String> PARTS =
            List.of("ceilings", "tests", "sanitizer", "ssb", "ssb-plain", "hard", "tpch", "readings");
    private static final Map<String, Integer> LIMIT_MINUTES = Map.of("ceilings", 5, "tests", 15, "sanitizer", 20);
    private static final List<String> CHECKS = List.of("memcheck", "racecheck", "synccheck", "initcheck");
    private static final String USAGE =
            "usage: ./run [cuda|cuda-host] [--sf N[,N]] [--runs N] [--threads N] [--data FOLDER] [--out FILE]"
                    + " [--parts " + String.join(",", PARTS) + "]; sanitizer is " + String.join(",", CHECKS);
    private static final List<String> WATCHED = List.of("StarJoinTest", "ScanAggregateTest", "TimeGroupsTest");
    private static final int LONGEST_MINUTES = 60;
    private static final String DATA = "data"; // as a part
    /// Readings a unit of the scale factor, about as many rows as SSB's facts have.
    private static final int READINGS = 5_000_000;
    private static final String QUERY_VALUES = "{\"longitude\": \"0.01\"}";

    private final Path bundle;
    private final String device;
    private final Map<String, String> options;
    private final Path report;
    private boolean isGood = true;

    private GpuSuite(Path bundle, String device, Map<String, String> options) {
        this.bundle = bundle;
        this.device = device;
        this.options = options;
        this.report = Path.of(options.get("out")).toAbsolutePath();
    }

    /// Arguments: the bundle's folder, then those of `./run`; or `--host-library FILE`, which builds the
    /// kernels for the CPU.
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments[0].equals("--host-library")) {
            Files.copy(HostLibrary.file(), Path.of(arguments[1]), StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        String device = "cuda";
        Map<String, String> options = new TreeMap<>();
        options.put("out", "results.md");
        options.put("parts", String.join(",", PARTS));
        options.put("data", "data");
        options.put("runs", "20");
        options.put("threads", Integer.toString(Runtime.getRuntime().availableProcessors()));
        for (int index = 1; index < arguments.length; index++) {
            String argument = arguments[index];
            if (argument.equals("cuda") || argument.equals("cuda-host")) {
                device = argument;
            } else if (argument.startsWith("--")
                    && index + 1 < arguments.length
                    && (options.containsKey(argument.substring(2)) || argument.equals("--sf"))) {
                options.put(argument.substring(2), arguments[++index]);
            } else if (argument.equals("--help")) {
                System.out.println(USAGE);
                return;
            } else {
                refuse("what is " + argument + "?");
            }
        }
        for (String part : options.get("parts").split(",")) {
            if (!PARTS.contains(part) && !CHECKS.contains(part)) {
                refuse("there is no part " + part);
            }
        }
        options.putIfAbsent("sf", device.equals("cuda") ? "10,100" : "0.1");
        GpuSuite suite = new GpuSuite(Path.of(arguments[0]).toAbsolutePath(), device, options);
        suite.run();
        System.exit(suite.isGood ? 0 : 1);
    }

    private static void refuse(String reason) {
        System.err.println(reason + "\n" + USAGE);
        System.exit(2);
    }

    private void run() throws IOException, InterruptedException {
        Files.deleteIfExists(report);
        tell("# The CUDA device: " + device + "\n");
        com.sun.management.OperatingSystemMXBean system =
                ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
        tell(String.format(
                Locale.ROOT,
                "%s; %s; %d cores, %.0f GiB; %s; Java %s; `./run %s %s`%n",
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                bundleVersion(),
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize() / (double) (1L << 30),
                processor(),
                Runtime.version(),
                device,
                options));
        for (String part : options.get("parts").split(",")) {
            switch (part) {
                case "ceilings" -> ceilings();
                case "tests" -> tests();
                case "sanitizer" -> sanitizer(CHECKS);
                case "memcheck", "racecheck", "synccheck", "initcheck" -> sanitizer(List.of(part));
                case "ssb", "ssb-plain", "hard", "tpch", "readings" -> {
                    for (String scale : options.get("sf").split(",")) {
                        suite(part, scale);
                    }
                }
                default -> throw new IllegalArgumentException(part);
            }
        }
        tell("\n" + (isGood ? "All is well." : "**Something failed.**"));
    }

    private String bundleVersion() throws IOException {
        Path version = bundle.resolve("VERSION");
        return Files.exists(version) ? Files.readString(version).strip() : "of no known commit";
    }

    private static String processor() throws IOException {
        Path facts = Path.of("/proc/cpuinfo");
        return Files.exists(facts)
                ? Files.readAllLines(facts).stream()
                        .filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .findFirst()
                        .orElse("unknown processor")
                : "unknown processor";
    }

    private void tell(String text) throws IOException {
        System.out.println(text);
        Files.writeString(report, text + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void ceilings() throws IOException, InterruptedException {
        tell("\n## Ceilings\n");
        if (!device.equals("cuda")) {
            tell("Left out: only a GPU has them.");
            return;
        }
        Path found = Files.createTempFile("ceilings", ".txt");
        expect("ceilings", java(List.of(), List.of("dev.quarrel.cuda.gpu.Ceilings", found.toString())));
        tell("```\n" + Files.readString(found).strip() + "\n```");
        Files.delete(found);
    }

    private List<String> testCommand(List<String> classes, Path found) throws IOException {
        List<String> command = new ArrayList<>(List.of("dev.quarrel.cuda.DifferentialSuite", found.toString()));
        command.addAll(classes);
        return java(List.of("-Dquarrel.test.device=" + device), command);
    }

    private void tests() throws IOException, InterruptedException {
        tell("\n## The same answers as the CPU's\n");
        Path found = Files.createTempFile("tests", ".txt");
        List<String> classes = Files.readAllLines(bundle.resolve("tests.txt"));
        expect("tests", testCommand(classes, found));
        tell(Files.readString(found).strip());
        Files.delete(found);
    }

    /// On classes of small inputs, for every access of memory is looked at.
    ///
    /// @param checks the tool's tools
    private void sanitizer(List<String> checks) throws IOException, InterruptedException {
        tell("\n## compute-sanitizer\n");
        Path tool = sanitizerTool();
        if (tool == null || !device.equals("cuda")) {
            tell(tool == null ? "Left out: it is not on PATH." : "Left out: only a GPU's kernels can be watched.");
            return;
        }
        for (String kind : checks) {
            Path found = Files.createTempFile("tests", ".txt");
            List<String> command = new ArrayList<>(
                    List.of(tool.toString(), "--tool", kind, "--error-exitcode", "99", "--print-limit", "20"));
            command.addAll(testCommand(
                    WATCHED.stream().map("dev.quarrel.cuda."::concat).toList(), found));
            Path words = Files.createTempFile("sanitizer", ".log");
            int code = process("sanitizer", command, words);
            // Memory of the driver's pool counts as never written where it was freed and given out again: told, not a
            // failure.
            isGood &= code == 0 || kind.equals("initcheck");
            tell("- " + kind + ": " + (code == 0 ? "clean" : "ended with " + code) + "; "
                    + Files.readString(found).strip());
            List<String> lines = Files.readAllLines(words);
            for (String line : lines) {
                if (line.startsWith("=========") && line.contains("SUMMARY")) {
                    tell("  " + line);
                }
            }
            if (code != 0) {
                tell("```\n" + String.join("\n", lines.subList(0, Math.min(40, lines.size()))) + "\n```");
            }
            Files.delete(found);
            Files.delete(words);
        }
    }

    private static Path sanitizerTool() {
        List<String> folders =
                new ArrayList<>(List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)));
        folders.add("/usr/local/cuda/bin");
        return folders.stream()
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "compute-sanitizer"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /// @param part a suite's name, or `ssb-plain`: integers take the bytes of their types
    private void suite(String part, String scale) throws IOException, InterruptedException {
        boolean isPlain = part.equals("ssb-plain");
        String queries = isPlain ? "ssb" : part;
        tell("\n## " + queries + ", scale factor " + scale + (isPlain ? ", integers as wide as their types" : "")
                + "\n");
        if (queries.equals("tpch") && !Files.exists(bundle.resolve("tpchgen-cli"))) {
            tell("Left out: the bundle lacks its generator.");
            return;
        }
        Path data = made(queries.equals("hard") ? "ssb" : queries, scale);
        expect(
                part,
                java(
                        isPlain ? List.of("-Dquarrel.cuda.narrow=off") : List.of(),
                        List.of(
                                "dev.quarrel.bench.GpuQueries",
                                device,
                                data.toString(),
                                bundle.resolve("queries").resolve(queries).toString(),
                                options.get("runs"),
                                options.get("threads"),
                                report.toString())));
    }

    /// Made unless it is there; readings are about as many as SSB's facts.
    private Path made(String name, String scale) throws IOException, InterruptedException {
        Path data = Path.of(options.get("data")).toAbsolutePath().resolve(name + "-" + scale);
        if (Files.exists(data.resolve("_manifest.json"))) {
            return data;
        }
        long start = System.nanoTime();
        switch (name) {
            case "tpch" -> importTpch(data, scale);
            case "readings" -> {
                long rows = Math.round(READINGS * Double.parseDouble(scale));
                quarrel("ssb", "--readings", String.valueOf(rows), "-o", data.toString());
            }
            default -> quarrel("ssb", "--sf", scale, "-o", data.toString());
        }
        System.out.printf(Locale.ROOT, "%s made in %.1f s%n", data, (System.nanoTime() - start) / 1e9);
        return data;
    }

    /// By the generator that the bundle has, and read as users' files are.
    private void importTpch(Path data, String scale) throws IOException, InterruptedException {
        Path files = Path.of(data + "-parquet");
        String generator = bundle.resolve("tpchgen-cli").toString();
        String parts = options.get("threads");
        expect(DATA, List.of(generator, "parquet", "-s", scale, "--parts", parts, "-o", files.toString()));
        try (Stream<Path> tables = Files.list(files)) {
            for (Path table : tables.sorted().toList()) {
                quarrel("import", table.toString(), "-o", data.toString());
            }
        }
    }

    private void quarrel(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("dev.quarrel.cli.Main"));
        command.addAll(List.of(arguments));
        expect(DATA, java(List.of(), command));
    }

    private List<String> java(List<String> flags, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/java.nio=ALL-UNNAMED"));
        Path library = bundle.resolve("libquarrel-host.so");
        if (Files.exists(library)) {
            command.add("-Dquarrel.cuda.host_library=" + library);
        }
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(arguments);
        return command;
    }

    private void expect(String part, List<String> command) throws IOException, InterruptedException {
        int code = process(part, command, null);
        if (code != 0) {
            isGood = false;
            tell("**" + part + " ended with " + code + "**\n");
        }
    }

    /// @param words where what it says goes, or null: to this process' own
    private int process(String part, List<String> command, Path words) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("QUARREL_CUDA", "on");
        builder.environment().putIfAbsent("QUARREL_BENCH_VALUES", QUERY_VALUES);
        if (words == null) {
            builder.redirectOutput(ProcessBuilder.Redirect.INHERIT);
        } else {
            builder.redirectOutput(words.toFile());
        }
        Process process = builder.start();
        int minutes = LIMIT_MINUTES.getOrDefault(part, LONGEST_MINUTES);
        if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
            process.destroyForcibly().waitFor();
            tell("**" + part + " did not end within " + minutes + " minutes**\n");
        }
        return process.exitValue();
    }
}
