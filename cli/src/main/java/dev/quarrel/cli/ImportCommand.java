package dev.quarrel.cli;

import dev.quarrel.cli.imports.ArrowSource;
import dev.quarrel.cli.imports.CsvSource;
import dev.quarrel.cli.imports.FileBytes;
import dev.quarrel.cli.imports.ImportFormat;
import dev.quarrel.cli.imports.ImportSource;
import dev.quarrel.cli.imports.ImportedFiles;
import dev.quarrel.cli.imports.ParquetFormat;
import dev.quarrel.cli.imports.SniffedCsv;
import dev.quarrel.cli.imports.json.JsonFormat;
import dev.quarrel.cli.imports.pcap.PcapSource;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.AppendedForms;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.arrow.dataset.SourceFiles;
import dev.quarrel.core.arrow.dataset.TableLoad;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.ColumnList;
import dev.quarrel.core.csv.CsvFormat;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/// `quarrel import`: files of other formats as a table of a dataset.
@Command(
        name = "import",
        description = "Reads Parquet, CSV, JSON, Arrow or pcap files into a table of a dataset, as one run.",
        mixinStandardHelpOptions = true)
final class ImportCommand implements Callable<Integer> {
    private static final String COLUMNS = "--columns";
    private static final List<String> CSV_OPTIONS =
            List.of(COLUMNS, "--header", "--delimiter", "--quote", "--escape", "--null", "--encoding");

    @Spec
    private CommandSpec spec;

    /// What is in the files.
    enum Format {
        csv("\\.(csv|tsv|txt)(\\.gz)?$"),
        arrow("\\.(arrows?|feather)$"),
        parquet("\\.parquet$"),
        json("\\.(json|jsonl|ndjson)(\\.gz)?$"),
        pcap("\\.(pcap|pcapng|cap)(\\.gz)?$");

        private final Pattern names;

        Format(String names) {
            this.names = Pattern.compile(names, Pattern.CASE_INSENSITIVE);
        }

        boolean isOf(String file) {
            return names.matcher(file).find();
        }

        /// Null where a file's name says nothing.
        static Format of(String file) {
            return Arrays.stream(values())
                    .filter(format -> format.isOf(file))
                    .findFirst()
                    .orElse(null);
        }
    }

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description =
                    "Files of one format, folders of them, and patterns such as 'logs/**/*.parquet'. Columns match"
                            + " by name.")
    private List<String> names;

    @Option(
            names = "--format",
            description = "${COMPLETION-CANDIDATES}; default: by the files' names, .csv, .tsv and .txt, .arrow"
                    + " and .arrows, .parquet, .json, .jsonl and .ndjson, or .pcap and .pcapng; CSV, JSON and pcap also"
                    + " with .gz.")
    private Format format;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "ROOT",
            description = "The dataset's folder; made where it is missing.")
    private Path root;

    @Option(names = "--no-keys", description = "key=value folders on the way to a file are no columns.")
    private boolean noKeys;

    @Option(names = "--name", paramLabel = "[SCHEMA.]TABLE", description = "The table; default: the first FILE's name.")
    private String name;

    @Option(names = "--append", description = "Adds rows to the table; else they are all of it.")
    private boolean append;

    @Option(
            names = COLUMNS,
            paramLabel = "COLUMNS",
            description =
                    "Names and types of CSV's columns, as in CREATE TABLE: 'id bigint not null, price numeric(10,2)';"
                            + " default: the headers' names, and types by the first 10000 rows. Of JSON types of members"
                            + " that are to have others than these.")
    private String columns;

    @Option(
            names = "--header",
            negatable = true,
            description = "CSV's first row has the columns' names, or has not; default: as it looks, and with --columns"
                    + " it has.")
    private Boolean header; // null where it is not said

    @Option(
            names = "--delimiter",
            description = "Between CSV's fields, as \\t; default: the comma, tab, semicolon or | that the first rows"
                    + " have.")
    private String delimiter; // null where it is not said

    @Option(names = "--quote", description = "Around CSV's fields; default: \".")
    private String quote = "\"";

    @Option(names = "--escape", description = "Before a quote within quotes; default: the quote.")
    private String escape;

    @Option(names = "--null", description = "What stands for NULL in CSV, without quotes; default: nothing.")
    private String nullText = "";

    @Option(names = "--encoding", description = "Of CSV's text; default: UTF-8.")
    private String encoding = "UTF-8";

    @Option(names = "--zstd", paramLabel = "LEVEL", description = "Compresses what is written, 1 to 19; default: not.")
    private int zstdLevel;

    @Override
    public Integer call() throws IOException {
        if (zstdLevel < 0 || zstdLevel > 19) {
            throw wrong("--zstd is 1 to 19");
        }
        long start = System.nanoTime();
        SourceFiles files =
                SourceFiles.of(names, file -> format == null ? Format.of(file) != null : format.isOf(file), !noKeys);
        Format of = format(files);
        requireOwnOptions(of);
        String[] table = tableName(files);
        long rows;
        int most = TableLoad.threads(Runtime.getRuntime().availableProcessors());
        try (ExecutorService threads = Executors.newFixedThreadPool(
                        most, Thread.ofPlatform().name("import-", 0).daemon().factory());
                ImportFormat reading = reading(of, files, table, threads, most)) {
            rows = loadAsLearned(files, reading, table, threads, most);
        }
        System.err.printf(
                Locale.ROOT,
                "%,d rows of %d %s written to %s.%s in %s in %.1f s%n",
                rows,
                files.files().size(),
                files.files().size() == 1 ? "file" : "files",
                table[0],
                table[1],
                root,
                (System.nanoTime() - start) / 1e9);
        return 0;
    }

    /// - Errors: for an option that the format has no use for.
    private void requireOwnOptions(Format of) {
        ParseResult given = spec.commandLine().getParseResult();
        for (String option : CSV_OPTIONS) {
            boolean isOwn = of == Format.csv || of == Format.json && option.equals(COLUMNS);
            if (!isOwn && given.hasMatchedOption(option)) {
                throw wrong(option + " is for CSV" + (option.equals(COLUMNS) ? " and JSON" : "") + ", and this is " + of
                        + ": leave it out, or say --format csv");
            }
        }
    }

    /// Reads the files again as long as a failure has taught how.
    ///
    /// @return how many rows they have
    private long loadAsLearned(SourceFiles files, ImportFormat reading, String[] table, Executor threads, int most)
            throws IOException {
        while (true) {
            try {
                return load(files, reading, table, threads, most);
            } catch (QueryException wrong) {
                String learned = reading.learned();
                if (learned == null) {
                    throw wrong;
                }
                Main.say(learned);
            }
        }
    }

    private long load(SourceFiles files, ImportFormat reading, String[] table, Executor threads, int most)
            throws IOException {
        DatasetWriter.Mode mode = append ? DatasetWriter.Mode.APPEND : DatasetWriter.Mode.REPLACE;
        try (ImportSource source = ImportedFiles.open(
                        files, reading, known(table).stream().map(Field::name).collect(Collectors.toSet()));
                DatasetWriter run = DatasetWriter.begin(root, mode, "import of " + names.getFirst())) {
            Schema schema = source.schema();
            if (append) {
                run.check(table[0], table[1], schema.fields(), source.nested());
            }
            long rows;
            try (ProgressBar bar = new ProgressBar("importing", 0);
                    TableLoad load = new TableLoad(run, table[0], table[1], schema, options(source))) {
                for (Batch batch = source.next(); batch != null; batch = source.next()) {
                    int count = batch.rowCount();
                    load.append(batch, threads, most);
                    bar.add(count);
                }
                rows = load.finish();
            }
            run.commit(null, null);
            source.notes().forEach(System.err::println);
            return rows;
        }
    }

    private WriteOptions options(ImportSource source) {
        WriteOptions options = WriteOptions.PLAIN.withZstd(zstdLevel);
        for (Map.Entry<String, NestedType> column : source.nested().entrySet()) {
            options = options.withNested(column.getKey(), column.getValue());
        }
        return options;
    }

    private String[] tableName(SourceFiles files) {
        if (name == null) {
            Path first = Path.of(names.getFirst());
            Path named = Files.exists(first)
                    ? first.toAbsolutePath().normalize()
                    : files.files().getFirst().path();
            Path last = named.getFileName();
            if (last == null) {
                throw wrong("--name must say the table");
            }
            int dot = last.toString().indexOf('.');
            return new String[] {
                DatasetCatalog.DEFAULT_SCHEMA,
                dot <= 0 ? last.toString() : last.toString().substring(0, dot)
            };
        }
        int dot = name.indexOf('.');
        if (name.isEmpty() || dot == 0 || dot == name.length() - 1) {
            throw wrong("--name is TABLE or SCHEMA.TABLE");
        }
        return dot < 0
                ? new String[] {DatasetCatalog.DEFAULT_SCHEMA, name}
                : new String[] {name.substring(0, dot), name.substring(dot + 1)};
    }

    /// That of the first file, which those of folders must have, too.
    private Format format(SourceFiles files) {
        if (format != null) {
            return format;
        }
        Path first = files.files().getFirst().path();
        Format found = Format.of(first.getFileName().toString());
        if (found == null) {
            throw wrong("what " + first.getFileName() + " is must be said: --format csv, arrow, parquet, json or pcap");
        }
        for (SourceFiles.SourceFile file : files.files()) {
            Format other = Format.of(file.path().getFileName().toString());
            if (other != null && other != found) {
                throw wrong(first + " is " + found + ", and " + file.path() + " is " + other
                        + ": name files of one format, or folders with --format");
            }
        }
        return found;
    }

    private ImportFormat reading(Format of, SourceFiles files, String[] table, Executor threads, int most)
            throws IOException {
        return switch (of) {
            case arrow -> ArrowSource::new;
            case parquet -> new ParquetFormat();
            case json ->
                JsonFormat.of(
                        files.files().stream().map(SourceFiles.SourceFile::path).toList(),
                        declared(table),
                        knownEntry(table)
                                .map(entry -> AppendedForms.known(root, entry))
                                .orElse(Map.of()),
                        threads,
                        most);
            case pcap -> file -> new PcapSource(file, threads, most);
            case csv -> {
                List<Path> paths =
                        files.files().stream().map(SourceFiles.SourceFile::path).toList();
                CsvSource.Reading said = new CsvSource.Reading(csvFormat(), charset(), threads, most);
                if (delimiter == null || columns == null) {
                    for (Path path : paths) {
                        FileBytes.requireRegular(path, "write it to a file, or say --delimiter and --columns");
                    }
                }
                List<Field> declared = columns == null ? null : ColumnList.parse(columns);
                CsvSource.Reading reading =
                        delimiter == null ? said.withDelimiterOf(paths, declared == null ? 0 : declared.size()) : said;
                yield declared != null
                        ? CsvSource.of(declared, reading)
                        : SniffedCsv.of(paths, known(table), reading, header == null, Main::say);
            }
        };
    }

    /// The columns of the table that is there, with the types that --columns says.
    private List<Field> declared(String[] table) {
        Map<String, Field> fields = new LinkedHashMap<>();
        known(table).forEach(field -> fields.put(field.name(), field));
        if (columns != null) {
            ColumnList.parse(columns).forEach(field -> fields.put(field.name(), field));
        }
        return List.copyOf(fields.values());
    }

    private CsvFormat csvFormat() {
        CsvFormat csv = new CsvFormat(
                delimiter == null
                        ? CsvFormat.USUAL.delimiter()
                        : one("--delimiter", delimiter.equals("\\t") ? "\t" : delimiter),
                one("--quote", quote),
                one("--escape", escape == null ? quote : escape),
                nullText,
                header == null || header);
        if (delimiter != null && csv.delimiter() == csv.quote()) {
            throw wrong("--delimiter and --quote must be different");
        }
        return csv;
    }

    /// The columns of a table that gets more rows.
    private List<Field> known(String[] table) {
        return knownEntry(table).map(Manifest.TableEntry::fields).orElse(List.of());
    }

    /// The table that gets more rows, as it is.
    private Optional<Manifest.TableEntry> knownEntry(String[] table) {
        Manifest manifest = append ? Manifest.read(root) : null;
        return manifest == null
                ? Optional.empty()
                : manifest.tables().stream()
                        .filter(each -> each.schemaName().equals(table[0])
                                && each.name().equals(table[1]))
                        .findFirst();
    }

    private Charset charset() {
        try {
            return encoding.equalsIgnoreCase("utf8") ? StandardCharsets.UTF_8 : Charset.forName(encoding);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw wrong("there is no encoding " + encoding);
        }
    }

    private byte one(String option, String text) {
        if (text.length() != 1 || text.charAt(0) > 127 || text.equals("\n") || text.equals("\r")) {
            throw wrong(option + " must be a single one-byte character");
        }
        return (byte) text.charAt(0);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
