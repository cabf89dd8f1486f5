package dev.quarrel.calcite;

import java.util.Set;

/// How the rows of a COPY … TO STDOUT are written.
///
/// @param delimiter between columns, in text and csv
/// @param nullText what stands for NULL, in text and csv
/// @param header whether the columns' names come first, in text and csv
/// @param quote around values in csv that need it
/// @param escape before a quote or an escape inside of quotes, in csv
/// @param quoted the columns whose values stand in quotes whatever they are, but for NULL; null for all
/// @param compression of the buffers of Arrow's batches, and of Parquet's pages
/// @param rowGroupRows how many rows a row group of Parquet has at most; 0 for as many as usual
public record CopyOptions(
        Format format,
        byte delimiter,
        String nullText,
        boolean header,
        byte quote,
        byte escape,
        Set<String> quoted,
        Compression compression,
        int rowGroupRows) {
    public enum Format {
        TEXT,
        CSV,
        BINARY,
        /// An IPC stream.
        ARROW,
        PARQUET
    }

    public enum Compression {
        NONE,
        LZ4,
        ZSTD
    }

    public static final CopyOptions TEXT = of(Format.TEXT);

    /// CSV with a header.
    public static final CopyOptions CSV_WITH_HEADER =
            new CopyOptions(Format.CSV, (byte) ',', "", true, (byte) '"', (byte) '"', Set.of(), Compression.NONE, 0);

    public CopyOptions {
        quoted = quoted == null ? null : Set.copyOf(quoted);
    }

    /// What PostgreSQL writes where nothing else is said.
    public static CopyOptions of(Format format) {
        boolean isCsv = format == Format.CSV;
        return new CopyOptions(
                format,
                (byte) (isCsv ? ',' : '\t'),
                isCsv ? "" : "\\N",
                false,
                (byte) '"',
                (byte) '"',
                Set.of(),
                format == Format.PARQUET ? Compression.ZSTD : Compression.NONE,
                0);
    }

    /// Whether rows are written column by column, in another project's format.
    public boolean isColumnar() {
        return format == Format.ARROW || format == Format.PARQUET;
    }

    /// Whether clients are told that columns are bytes, not text.
    public boolean isBinary() {
        return format == Format.BINARY || isColumnar();
    }
}
