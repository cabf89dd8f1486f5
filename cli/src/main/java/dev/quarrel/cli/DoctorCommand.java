package dev.quarrel.cli;

import dev.quarrel.calcite.SettingDefaults;
import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.core.cpu.CpuDevice;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.server.config.ServerConfig;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `quarrel doctor`: what this machine has, and for what is missing, what to do about it.
@Command(
        name = "doctor",
        description = "Says what was found on this machine: JDK, flags, devices, PostgreSQL.",
        mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
    private boolean usable = true;

    @Mixin
    private ConfigOptions configOptions;

    @Option(names = "--settings", description = "Lists all settings, those that are at their defaults too.")
    private boolean allSettings;

    @Override
    public Integer call() throws IOException {
        line("quarrel", Main.version());
        jvm();
        machine();
        devices();
        postgres();
        settings();
        return usable ? 0 : Main.FAILED;
    }

    private static void line(String topic, String finding) {
        System.out.printf(Locale.ROOT, "%-14s %s%n", topic, finding);
    }

    private static void jvm() {
        line(
                "jdk",
                Runtime.version() + ", " + System.getProperty("java.vendor") + ", " + System.getProperty("java.home"));
        line(
                "vector api",
                CpuDevice.hasVectorApi()
                        ? "present: the CPU device uses SIMD"
                        : "absent: scalar loops are used instead; start java with --add-modules jdk.incubator.vector");
        line(
                "native access",
                DoctorCommand.class.getModule().isNativeAccessEnabled()
                        ? "enabled"
                        : "not enabled: start java with --enable-native-access=ALL-UNNAMED");
        boolean opened = Object.class.getModule().isOpen("java.nio", DoctorCommand.class.getModule());
        line(
                "java.nio",
                opened
                        ? "open"
                        : "not open: only arrow-java's own vectors need it (--add-opens=java.base/java.nio=ALL-UNNAMED)");
        List<String> options = ManagementFactory.getRuntimeMXBean().getInputArguments();
        line("jvm options", options.isEmpty() ? "none" : String.join(" ", options));
    }

    private static void machine() {
        line(
                "os",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                        + System.getProperty("os.arch"));
        line("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        com.sun.management.OperatingSystemMXBean system =
                ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
        line(
                "memory",
                gibibytes(system.getTotalMemorySize()) + ", of it free "
                        + gibibytes(system.getFreeMemorySize()) + "; heap at most "
                        + gibibytes(Runtime.getRuntime().maxMemory()));
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            line(
                    "temp folder",
                    temporary + ", " + gibibytes(Files.getFileStore(temporary).getUsableSpace()) + " free");
        } catch (IOException unreadable) {
            line("temp folder", temporary + ": " + unreadable.getMessage());
        }
    }

    private static String gibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
    }

    private void devices() {
        DeviceConfig config = DeviceConfig.ofThreads(Runtime.getRuntime().availableProcessors());
        boolean found = false;
        for (DeviceProvider provider : ServiceLoader.load(DeviceProvider.class)) {
            switch (provider.probe(config)) {
                case DeviceProvider.Probe.Found(var device) -> {
                    line("device " + provider.name(), device.description());
                    device.close();
                    found = true;
                }
                case DeviceProvider.Probe.Missing missing ->
                    line("device " + provider.name(), "not available: " + missing.text());
            }
        }
        if (!found) {
            line("devices", "none: no query can run; this build is broken");
            usable = false;
        }
    }

    /// What a server that is started here and now would be configured by.
    private void settings() throws IOException {
        ServerConfig config;
        try {
            Path file = configOptions.file(System.getenv());
            line("config file", file == null ? "none: no quarrel.toml here, no --config" : file.toString());
            config = configOptions.applyTo(configOptions.read());
        } catch (CommandFailure wrong) {
            line("settings", "not usable: " + wrong.getMessage());
            usable = false;
            return;
        }
        int defaults = 0;
        for (SettingDefaults.Given given : config.all()) {
            if (given.origin().equals(SettingOrigin.DEFAULT) && !allSettings) {
                defaults++;
            } else {
                line(
                        "setting",
                        given.definition().name() + " = " + given.value() + " ("
                                + given.origin().text() + ")");
            }
        }
        if (defaults > 0) {
            line("settings", defaults + " others are at their defaults (--settings lists them)");
        }
    }

    private static void postgres() {
        boolean embedded = DoctorCommand.class.getResource("/postgres-linux-x86_64.txz") != null;
        boolean fits = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        line(
                "embedded pg",
                embedded && fits
                        ? "present: the demo can run"
                        : "absent for this system: the demo cannot run; everything else can");
        line(
                "psql",
                onPath("psql")
                        .map(psql -> psql + ", " + firstLine(psql.toString(), "--version"))
                        .orElse(
                                "not found in PATH: any client of PostgreSQL will do (Debian: apt install postgresql-client)"));
        List<String> servers = installedServers();
        line(
                "postgresql",
                servers.isEmpty()
                        ? "no installed server found; exports read any server by its URL"
                        : String.join("; ", servers));
    }

    private static Optional<Path> onPath(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            Path candidate = Path.of(folder.isEmpty() ? "." : folder, program);
            if (Files.isExecutable(candidate)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private static List<String> installedServers() {
        List<String> servers = new ArrayList<>();
        onPath("postgres").ifPresent(server -> servers.add(server + ", " + firstLine(server.toString(), "--version")));
        Path debian = Path.of("/usr/lib/postgresql");
        if (Files.isDirectory(debian)) {
            try (DirectoryStream<Path> versions = Files.newDirectoryStream(debian)) {
                for (Path version : versions) {
                    Path server = version.resolve("bin").resolve("postgres");
                    if (Files.isExecutable(server)) {
                        servers.add(server + ", " + firstLine(server.toString(), "--version"));
                    }
                }
            } catch (IOException unreadable) {
                servers.add(debian + ": " + unreadable.getMessage());
            }
        }
        return servers;
    }

    private static String firstLine(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "does not answer";
            }
            return process.inputReader().lines().findFirst().orElse("says nothing");
        } catch (IOException cannotRun) {
            return cannotRun.getMessage();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
