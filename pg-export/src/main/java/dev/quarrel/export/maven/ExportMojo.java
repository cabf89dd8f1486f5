package dev.quarrel.export.maven;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/**
 * Exports tables and queries of PostgreSQL, MySQL or MariaDB to Arrow files, under one snapshot.
 *
 * <p>The password comes from PGPASSWORD or the password file (~/.pgpass), for MySQL from MYSQL_PWD or ~/.my.cnf; or from
 * the URL, where others may read it.
 */
@Mojo(name = "export", requiresProject = false, threadSafe = true)
public final class ExportMojo extends AbstractMojo {
    private static final String MAIN = "dev.quarrel.export.ExportMain";
    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w*GC");
    private static final int WRONG_SETTINGS = 2;
    private static final long STOP_SECONDS = 30;

    /**
     * The database: postgresql://user@host:port/database, or host=… dbname=…, or a database's name; what it leaves out
     * comes from the environment, as psql has it (PGHOST, PGSERVICE, …). Or mysql://user@host:port/database, also for
     * MariaDB.
     */
    @Parameter(property = "quarrel.url")
    private String url = "";

    /** The tables, as SQL writes their names; * and ? match, as in pg_dump. */
    @Parameter(property = "quarrel.tables")
    private List<String> tables = List.of();

    /** Schemas whose tables are exported; * and ? match. */
    @Parameter(property = "quarrel.schemas")
    private List<String> schemas = List.of();

    /** Whether the tables of all schemas are exported, but the system's. */
    @Parameter(property = "quarrel.all", defaultValue = "false")
    private boolean all;

    /** Tables to leave out, with their partitions and children; * and ? match. */
    @Parameter(property = "quarrel.excludeTables")
    private List<String> excludeTables = List.of();

    /**
     * Queries to export as tables: name and SELECT. $(WORKER_ID) and $(N_WORKERS) in it split it among the connections,
     * $(PARALLEL_KEY) into one part for each of its keys.
     */
    @Parameter
    private Map<String, String> queries = Map.of();

    /** What $(PARALLEL_KEY) stands for: a query's name, and keys separated by commas. */
    @Parameter
    private Map<String, String> keys = Map.of();

    /**
     * Further SELECTs that run for each row of a query, in this order; $(column) in one is the row's value. Each join has
     * the SELECT as inner (a row without rows of it is dropped) or as outer (the row stays, with NULLs), and the query's
     * name as query, which may be left out where there is one.
     */
    @Parameter
    private List<Join> joins = List.of();

    /** The dataset's folder, target/quarrel if it is not given; or, for a single table, a file that ends in .arrow. */
    @Parameter(property = "quarrel.output")
    private File output;

    @Parameter(defaultValue = "${project.build.directory}", readonly = true)
    private String buildDirectory;

    @Parameter(defaultValue = "${basedir}", readonly = true)
    private File baseDirectory;

    /** Connections that read at once; the number of processors, but at most 8, if it is not given. */
    @Parameter(property = "quarrel.workers")
    private Integer workers;

    /** A batch is written when it has grown to so many bytes. */
    @Parameter(property = "quarrel.batchBytes")
    private Long batchBytes;

    /** Bytes that the whole program may take; batches become smaller where they must. */
    @Parameter(property = "quarrel.memoryBytes")
    private Long memoryBytes;

    /** Columns to leave out: column, table.column or schema.table.column. */
    @Parameter(property = "quarrel.exclude")
    private List<String> exclude = List.of();

    /** Columns by whose values rows are divided among the connections: column, table.column or schema.table.column. */
    @Parameter(property = "quarrel.splitBy")
    private List<String> splitBy = List.of();

    /** Conditions of SQL that rows must meet: condition, or table:condition. */
    @Parameter
    private List<String> where = List.of();

    /** Columns that rise with each change of a row: what has changed since the last run is read; xmin misses nothing. */
    @Parameter(property = "quarrel.incremental")
    private List<String> incremental = List.of();

    /** The columns that tell a table's rows apart where it has no primary key: column,… or table:column,… */
    @Parameter
    private List<String> key = List.of();

    /** How far behind the greatest value of an incremental column the next run begins: an interval, or a number. */
    @Parameter(property = "quarrel.overlap")
    private String overlap;

    /** Whether an incremental run looks for rows that the source has deleted. */
    @Parameter(property = "quarrel.deletes", defaultValue = "true")
    private boolean deletes = true;

    /** Whether the source counts the rows of each table under the snapshot. */
    @Parameter(property = "quarrel.verifyRows", defaultValue = "false")
    private boolean verifyRows;

    /** Whether to wait for a snapshot that serializable transactions agree on; on a primary only. */
    @Parameter(property = "quarrel.deferrable", defaultValue = "false")
    private boolean deferrable;

    /** The name of a snapshot to export, from pg_export_snapshot() in a transaction that is still open. */
    @Parameter(property = "quarrel.snapshot")
    private String snapshot;

    /** Seconds that a table's lock is waited for, 0 without end; else as the session is set, or 600. */
    @Parameter(property = "quarrel.lockTimeout")
    private Integer lockTimeout;

    /** Whether finished tables are kept when the export fails, and gone on with under the same snapshot. */
    @Parameter(property = "quarrel.resume", defaultValue = "false")
    private boolean resume;

    /** How many states of the dataset before this run stay readable. */
    @Parameter(property = "quarrel.keepRuns", defaultValue = "0")
    private int keepRuns;

    /** Whether to write nothing, and to print what would be read and written. */
    @Parameter(property = "quarrel.dryRun", defaultValue = "false")
    private boolean dryRun;

    /** Columns that PostgreSQL casts to other types: column=type. */
    @Parameter
    private List<String> cast = List.of();

    /** What intervals become: keep, text, or microseconds. */
    @Parameter(property = "quarrel.interval", defaultValue = "keep")
    private String interval = "keep";

    /** Parameters of the sessions that read: name=value. */
    @Parameter
    private List<String> set = List.of();

    /** Whether Parquet files are written instead of Arrow files. */
    @Parameter(property = "quarrel.parquet", defaultValue = "false")
    private boolean parquet;

    /** Whether buffers are compressed by LZ4. */
    @Parameter(property = "quarrel.lz4", defaultValue = "false")
    private boolean lz4;

    /** What numeric without a precision becomes: precision,scale, or auto: the digits that the values need. */
    @Parameter(property = "quarrel.numeric")
    private String numeric;

    /** What NaN, infinities and numerics of more than 38 digits become: error, null, or text. */
    @Parameter(property = "quarrel.numericOverflow", defaultValue = "error")
    private String numericOverflow = "error";

    /** What infinite dates and timestamps become: keep, null, or error. */
    @Parameter(property = "quarrel.infinity", defaultValue = "keep")
    private String infinity = "keep";

    /** ZSTD's level; 0 writes plain buffers, which are read in place. If it is not given, 0, and 3 of Parquet. */
    @Parameter(property = "quarrel.zstdLevel")
    private Integer zstdLevel;

    /** Whether the run adds to the dataset's tables, instead of replacing those of the same name. */
    @Parameter(property = "quarrel.append", defaultValue = "false")
    private boolean append;

    /**
     * Whether large files stay in the system's cache, for queries that follow at once. Otherwise they go past it where
     * the disk allows that.
     */
    @Parameter(property = "quarrel.cached", defaultValue = "false")
    private boolean cached;

    /** Whether text columns of few values are dictionary-encoded. */
    @Parameter(property = "quarrel.dictionaries", defaultValue = "true")
    private boolean dictionaries = true;

    /** Text columns that get a dictionary, besides enums; auto: those of few values. */
    @Parameter(property = "quarrel.dictionary", defaultValue = "auto")
    private List<String> dictionary = List.of("auto");

    /** Columns that statistics are made of; all, or none. */
    @Parameter(property = "quarrel.stat", defaultValue = "all")
    private List<String> stat = List.of("all");

    /** Whether a composite's fields become columns of their own. */
    @Parameter(property = "quarrel.flatten", defaultValue = "false")
    private boolean flatten;

    /** Real and double precision columns to round to half floats. */
    @Parameter(property = "quarrel.float2")
    private List<String> float2 = List.of();

    /** Whether texts and bytes get offsets of 8 bytes. */
    @Parameter(property = "quarrel.largeOffsets", defaultValue = "false")
    private boolean largeOffsets;

    /** Expressions whose values become folders, such as date_trunc('month', placed) AS month. */
    @Parameter
    private List<String> partitionBy = List.of();

    /** A file that gets how the export gets on, for programs: one JSON object a line, an event each. */
    @Parameter(property = "quarrel.json")
    private File json;

    /** The home of a JDK 25 or newer; looked for if it is not given. */
    @Parameter(property = "quarrel.jdkHome")
    private File jdkHome;

    /** More arguments for the JVM that exports. */
    @Parameter(property = "quarrel.jvmArguments")
    private List<String> jvmArguments = List.of();

    /** Whether to do nothing. */
    @Parameter(property = "quarrel.skip", defaultValue = "false")
    private boolean skip;

    @Parameter(defaultValue = "${plugin.artifacts}", readonly = true, required = true)
    private List<Artifact> pluginArtifacts;

    @Override
    public void execute() throws MojoExecutionException, MojoFailureException {
        if (skip) {
            getLog().info("the export is skipped");
            return;
        }
        Properties settings = settings();
        File java = new JavaHome(jdkHome).java();
        List<String> command = new ArrayList<>();
        command.add(java.getPath());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        // There is little on its heap: the collector without threads and barriers serves it best.
        if (!isCollectorChosen()) {
            command.add("-XX:+UseSerialGC");
        }
        command.addAll(jvmArguments);
        command.add("-cp");
        command.add(pluginArtifacts.stream()
                .map(artifact -> artifact.getFile().getPath())
                .collect(Collectors.joining(File.pathSeparator)));
        command.add(MAIN);
        getLog().debug("the export runs on " + java);
        try {
            run(new ProcessBuilder(command).start(), settings);
        } catch (IOException failure) {
            throw new MojoExecutionException("could not run " + java + ": " + failure.getMessage(), failure);
        }
    }

    /** Whether somebody has chosen a collector, where the JVM looks for its options: it starts with one alone. */
    private boolean isCollectorChosen() {
        List<String> options = new ArrayList<>(jvmArguments);
        for (String variable : new String[] {"JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"}) {
            options.add(System.getenv().getOrDefault(variable, ""));
        }
        return COLLECTOR.matcher(String.join(" ", options)).find();
    }

    private void run(Process process, Properties settings)
            throws IOException, MojoExecutionException, MojoFailureException {
        List<String> errors = new ArrayList<>();
        Thread errorLines = new Thread(() -> eachLine(process.getErrorStream(), line -> {
            errors.add(line);
            getLog().error(line);
        }));
        errorLines.start();
        // A build that is stopped waits until the export has cleaned up; one that is killed is missed by it.
        Thread stop = new Thread(() -> {
            process.destroy();
            try {
                process.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException failure) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            try (OutputStream input = process.getOutputStream()) {
                settings.store(input, null);
            }
            eachLine(process.getInputStream(), getLog()::info);
            int code = process.waitFor();
            errorLines.join();
            if (code != 0) {
                String why = errors.stream()
                        .filter(line -> line.startsWith("error: "))
                        .findFirst()
                        .orElse("exit code " + code);
                if (code == WRONG_SETTINGS) {
                    throw new MojoExecutionException("the export was not begun: " + why);
                }
                throw new MojoFailureException("the export failed: " + why);
            }
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            throw new MojoExecutionException("the export was interrupted", failure);
        } finally {
            process.destroy();
            try {
                Runtime.getRuntime().removeShutdownHook(stop);
            } catch (IllegalStateException ending) {
                getLog().debug("the build is being stopped");
            }
        }
    }

    private File output() {
        if (output != null) {
            return output;
        }
        // Where there is no POM, Maven leaves the expression as it is.
        boolean hasProject = buildDirectory != null && !buildDirectory.contains("${");
        return new File(hasProject ? new File(buildDirectory) : new File(baseDirectory, "target"), "quarrel");
    }

    /** What ExportMain reads from standard input. */
    private Properties settings() throws MojoExecutionException {
        Properties settings = new Properties();
        settings.setProperty("url", url);
        settings.setProperty("tables", String.join("\n", tables));
        settings.setProperty("schemas", String.join("\n", schemas));
        settings.setProperty("all", Boolean.toString(all));
        settings.setProperty("excludeTables", String.join("\n", excludeTables));
        settings.setProperty("splitBy", String.join("\n", splitBy));
        settings.setProperty("parent", Long.toString(ProcessHandle.current().pid()));
        settings.setProperty("dryRun", Boolean.toString(dryRun));
        settings.setProperty("cast", String.join("\n", cast));
        settings.setProperty("interval", interval);
        settings.setProperty("set", String.join("\n", set));
        settings.setProperty("parquet", Boolean.toString(parquet));
        settings.setProperty("lz4", Boolean.toString(lz4));
        settings.setProperty("where", String.join("\n", where));
        settings.setProperty("incremental", String.join("\n", incremental));
        settings.setProperty("key", String.join("\n", key));
        if (overlap != null) {
            settings.setProperty("overlap", overlap);
        }
        settings.setProperty("deletes", Boolean.toString(deletes));
        settings.setProperty("verifyRows", Boolean.toString(verifyRows));
        settings.setProperty("deferrable", Boolean.toString(deferrable));
        if (snapshot != null) {
            settings.setProperty("snapshot", snapshot);
        }
        if (lockTimeout != null) {
            settings.setProperty("lockTimeout", lockTimeout.toString());
        }
        settings.setProperty("resume", Boolean.toString(resume));
        settings.setProperty("keepRuns", Integer.toString(keepRuns));
        queries.forEach((name, sql) -> settings.setProperty("query." + name, sql));
        keys.forEach((name, list) -> settings.setProperty("keys." + name, list));
        for (int number = 0; number < joins.size(); number++) {
            addJoin(number, joins.get(number), settings);
        }
        settings.setProperty("output", output().getPath());
        if (workers != null) {
            settings.setProperty("workers", workers.toString());
        }
        if (batchBytes != null) {
            settings.setProperty("batchBytes", batchBytes.toString());
        }
        if (memoryBytes != null) {
            settings.setProperty("memoryBytes", memoryBytes.toString());
        }
        settings.setProperty("exclude", String.join("\n", exclude));
        if (numeric != null) {
            settings.setProperty("numeric", numeric);
        }
        settings.setProperty("numericOverflow", numericOverflow);
        settings.setProperty("infinity", infinity);
        if (zstdLevel != null) {
            settings.setProperty("zstdLevel", zstdLevel.toString());
        }
        settings.setProperty("append", Boolean.toString(append));
        settings.setProperty("cached", Boolean.toString(cached));
        settings.setProperty("dictionaries", Boolean.toString(dictionaries));
        settings.setProperty("dictionary", String.join("\n", dictionary));
        settings.setProperty("stat", String.join("\n", stat));
        settings.setProperty("flatten", Boolean.toString(flatten));
        settings.setProperty("float2", String.join("\n", float2));
        settings.setProperty("largeOffsets", Boolean.toString(largeOffsets));
        settings.setProperty("partitionBy", String.join("\n", partitionBy));
        if (json != null) {
            settings.setProperty("json", json.getPath());
        }
        return settings;
    }

    private void addJoin(int number, Join join, Properties settings) throws MojoExecutionException {
        if ((join.inner() == null) == (join.outer() == null)) {
            throw new MojoExecutionException("a join has a SELECT as inner or as outer");
        }
        if (join.query() == null && queries.size() != 1) {
            throw new MojoExecutionException("a join has the name of one of the queries as query");
        }
        String name = join.query() == null ? queries.keySet().iterator().next() : join.query();
        boolean isInner = join.inner() != null;
        settings.setProperty(
                (isInner ? "innerJoin." : "outerJoin.") + number + "." + name, isInner ? join.inner() : join.outer());
    }

    private void eachLine(InputStream stream, Consumer<String> taker) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                taker.accept(line);
            }
        } catch (IOException failure) {
            getLog().debug("the exporter's output ended: " + failure.getMessage());
        }
    }
}
