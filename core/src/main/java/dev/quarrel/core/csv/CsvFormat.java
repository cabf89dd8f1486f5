package dev.quarrel.core.csv;

/// How CSV is written.
///
/// @param delimiter between fields
/// @param quote around fields, or parts of them
/// @param escape before a quote, or itself, inside of quotes
/// @param nullText what stands for NULL where it is not in quotes
/// @param header whether the first row has the columns' names
public record CsvFormat(byte delimiter, byte quote, byte escape, String nullText, boolean header) {
    /// With a header, and otherwise as PostgreSQL has it.
    public static final CsvFormat USUAL = new CsvFormat((byte) ',', (byte) '"', (byte) '"', "", true);

    public CsvFormat withDelimiter(byte newDelimiter) {
        return new CsvFormat(newDelimiter, quote, escape, nullText, header);
    }

    public CsvFormat withHeader(boolean newHeader) {
        return new CsvFormat(delimiter, quote, escape, nullText, newHeader);
    }
}
