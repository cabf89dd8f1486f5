package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.CopyOptions.Compression;
import dev.quarrel.calcite.CopyOptions.Format;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Checks the options of a COPY as PostgreSQL does, in its order.
///
/// - Source: PostgreSQL 18's `copy.c`, `ProcessCopyOptions`. FORMAT arrow and parquet, COMPRESSION and
///   ROW_GROUP_SIZE are ours.
final class CopyOptionList {
    private static final String UNSAFE_DELIMITERS = "\\.abcdefghijklmnopqrstuvwxyz0123456789";

    private final String text;
    private final boolean isFrom;
    private Format format = Format.TEXT;
    private Compression compression;
    private int rowGroupRows;
    private String delimiter;
    private String nullText;
    private boolean header;
    private String quote;
    private String escape;
    private Set<String> quoted = Set.of();
    private boolean matchesHeader;
    private Set<String> forceNull = Set.of();
    private Set<String> forceNotNull = Set.of();
    private boolean skipsErrors;
    private long rejectLimit;
    private boolean isQuiet;

    /// An option as written.
    ///
    /// @param values empty where none is written; null for `*`
    record Option(String name, List<String> values, Lexeme place) {}

    private CopyOptionList(String text, boolean isFrom) {
        this.text = text;
        this.isFrom = isFrom;
    }

    /// The options of a COPY … FROM.
    ///
    /// - Errors: as [#check].
    ///
    /// @param columns as listed; empty for all
    static Statement.CopyRules checkFrom(String text, List<Option> options, List<String> columns) {
        CopyOptionList list = new CopyOptionList(text, true);
        Set<String> seen = new HashSet<>();
        for (Option option : options) {
            list.take(option, seen);
        }
        CopyOptions checked = list.checked(columns);
        return new Statement.CopyRules(
                checked,
                list.matchesHeader,
                list.forceNull,
                list.forceNotNull,
                list.skipsErrors,
                list.rejectLimit,
                list.isQuiet);
    }

    /// - Errors: 42601, 22023, 0A000 with PostgreSQL's messages.
    ///
    /// @param columns that are copied, as listed; null for a query's
    static CopyOptions check(String text, List<Option> options, List<String> columns) {
        CopyOptionList list = new CopyOptionList(text, false);
        Set<String> seen = new HashSet<>();
        for (Option option : options) {
            list.take(option, seen);
        }
        return list.checked(columns);
    }

    private QueryException at(Option option, SqlState state, String message) {
        return new QueryException(state, message)
                .withPosition(Positions.of(text, option.place().start()));
    }

    private void take(Option option, Set<String> seen) {
        if (!seen.add(option.name())) {
            throw at(option, SqlState.SYNTAX_ERROR, "conflicting or redundant options");
        }
        switch (option.name()) {
            case "format" -> format = format(option);
            case "compression" -> compression = compression(option);
            case "row_group_size" -> rowGroupRows = rowGroupRows(option);
            case "delimiter" -> delimiter = value(option);
            case "null" -> nullText = value(option);
            case "header" -> header = header(option);
            case "quote" -> quote = value(option);
            case "escape" -> escape = value(option);
            case "force_quote" -> {
                if (isFrom) {
                    throw notWith(option.name(), "FROM");
                }
                quoted = columns(option);
            }
            case "force_not_null", "force_null", "default", "on_error", "reject_limit" -> takeOfInput(option);
            case "freeze" -> {
                if (isTrue(option) && !isFrom) {
                    throw notWith(option.name(), "TO");
                }
            }
            case "log_verbosity" -> {
                String verbosity = value(option);
                if (!List.of("silent", "default", "verbose").contains(verbosity)) {
                    throw at(
                            option,
                            SqlState.INVALID_PARAMETER_VALUE,
                            "COPY LOG_VERBOSITY \"" + verbosity + "\" not recognized");
                }
                isQuiet = verbosity.equals("silent");
            }
            case "encoding" -> {
                String encoding = value(option);
                if (!encoding.replaceAll("[^A-Za-z0-9]", "")
                        .toLowerCase(Locale.ROOT)
                        .matches("utf8|unicode")) {
                    throw at(
                            option,
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "not supported: COPY with encoding \"" + encoding + "\"; the only one is UTF8");
                }
            }
            default -> throw at(option, SqlState.SYNTAX_ERROR, "option \"" + option.name() + "\" not recognized");
        }
    }

    private static QueryException notWith(String name, String direction) {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY " + name.toUpperCase(Locale.ROOT) + " cannot be used with COPY " + direction);
    }

    private void takeOfInput(Option option) {
        if (!isFrom) {
            value(option);
            throw notWith(option.name(), "TO");
        }
        switch (option.name()) {
            case "force_null" -> forceNull = columns(option);
            case "force_not_null" -> forceNotNull = columns(option);
            case "on_error" -> {
                String choice = value(option);
                if (!choice.equals("stop") && !choice.equals("ignore")) {
                    throw at(
                            option,
                            SqlState.INVALID_PARAMETER_VALUE,
                            "COPY ON_ERROR \"" + choice + "\" not recognized");
                }
                skipsErrors = choice.equals("ignore");
            }
            case "reject_limit" -> {
                String limit = value(option);
                if (!limit.matches("-?[0-9]{1,18}")) {
                    throw new QueryException(SqlState.SYNTAX_ERROR, "reject_limit requires a numeric value");
                }
                rejectLimit = Long.parseLong(limit);
                if (rejectLimit <= 0) {
                    throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "REJECT_LIMIT (" + rejectLimit + ") must be greater than zero");
                }
            }
            default ->
                throw at(option, SqlState.FEATURE_NOT_SUPPORTED, "COPY with the option DEFAULT is not supported");
        }
    }

    private Format format(Option option) {
        String name = value(option);
        return switch (name) {
            case "text" -> Format.TEXT;
            case "csv" -> Format.CSV;
            case "binary" -> Format.BINARY;
            case "arrow" -> Format.ARROW;
            case "parquet" -> Format.PARQUET;
            default ->
                throw at(option, SqlState.INVALID_PARAMETER_VALUE, "COPY format \"" + name + "\" not recognized");
        };
    }

    private int rowGroupRows(Option option) {
        String rows = value(option);
        if (!rows.matches("[0-9]{1,9}") || Integer.parseInt(rows) == 0) {
            throw at(
                    option,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "COPY ROW_GROUP_SIZE \"" + rows + "\" is not a number of rows from 1 to 999999999");
        }
        return Integer.parseInt(rows);
    }

    private Compression compression(Option option) {
        String name = value(option);
        return switch (name) {
            case "none" -> Compression.NONE;
            case "lz4" -> Compression.LZ4;
            case "zstd" -> Compression.ZSTD;
            default ->
                throw at(option, SqlState.INVALID_PARAMETER_VALUE, "COPY compression \"" + name + "\" not recognized")
                        .withHint("Compressions are none, lz4 and zstd.");
        };
    }

    private String value(Option option) {
        if (option.values() != null && option.values().size() == 1) {
            return option.values().getFirst();
        }
        if (option.values() != null && option.values().isEmpty()) {
            throw new QueryException(SqlState.SYNTAX_ERROR, option.name() + " requires a parameter");
        }
        return option.values() == null ? "*" : String.join(".", option.values());
    }

    private boolean header(Option option) {
        if (option.values() != null
                && option.values().size() == 1
                && option.values().getFirst().equalsIgnoreCase("match")) {
            if (!isFrom) {
                throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "cannot use \"match\" with HEADER in COPY TO");
            }
            matchesHeader = true;
            return true;
        }
        Boolean value = bool(option);
        if (value == null) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "header requires a Boolean value or \"match\"");
        }
        return value;
    }

    private static boolean isTrue(Option option) {
        Boolean value = bool(option);
        if (value == null) {
            throw new QueryException(SqlState.SYNTAX_ERROR, option.name() + " requires a Boolean value");
        }
        return value;
    }

    private static Boolean bool(Option option) {
        if (option.values() == null || option.values().size() > 1) {
            return null;
        }
        return switch (option.values().isEmpty()
                ? "true"
                : option.values().getFirst().toLowerCase(Locale.ROOT)) {
            case "true", "on", "1" -> true;
            case "false", "off", "0" -> false;
            default -> null;
        };
    }

    private Set<String> columns(Option option) {
        if (option.values() == null) {
            return null;
        }
        if (option.values().isEmpty()) {
            throw at(
                    option,
                    SqlState.INVALID_PARAMETER_VALUE,
                    "argument to option \"" + option.name() + "\" must be a list of column names");
        }
        return Set.copyOf(option.values());
    }

    private CopyOptions checked(List<String> columns) {
        boolean isCsv = format == Format.CSV;
        boolean isBinary = CopyOptions.of(format).isBinary();
        String mode = " in " + format + " mode";
        require(!isBinary || delimiter == null, SqlState.SYNTAX_ERROR, "cannot specify DELIMITER" + mode);
        require(!isBinary || nullText == null, SqlState.SYNTAX_ERROR, "cannot specify NULL" + mode);
        require(
                compression == null || format == Format.ARROW || format == Format.PARQUET,
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY COMPRESSION requires ARROW or PARQUET mode");
        require(
                rowGroupRows == 0 || format == Format.PARQUET,
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY ROW_GROUP_SIZE requires PARQUET mode");
        CopyOptions usual = CopyOptions.of(format);
        String newDelimiter = delimiter == null ? String.valueOf((char) usual.delimiter()) : delimiter;
        String newNull = nullText == null ? usual.nullText() : nullText;
        String newQuote = quote == null ? "\"" : quote;
        String newEscape = escape == null ? newQuote : escape;
        require(
                isByte(newDelimiter),
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY delimiter must be a single one-byte character");
        require(
                !hasLineEnd(newDelimiter),
                SqlState.INVALID_PARAMETER_VALUE,
                "COPY delimiter cannot be newline or carriage return");
        require(
                !hasLineEnd(newNull),
                SqlState.INVALID_PARAMETER_VALUE,
                "COPY null representation cannot use newline or carriage return");
        require(
                isCsv || !UNSAFE_DELIMITERS.contains(newDelimiter),
                SqlState.INVALID_PARAMETER_VALUE,
                "COPY delimiter cannot be \"" + newDelimiter + "\"");
        require(!isBinary || !header, SqlState.FEATURE_NOT_SUPPORTED, "cannot specify HEADER" + mode);
        require(isCsv || quote == null, SqlState.FEATURE_NOT_SUPPORTED, "COPY QUOTE requires CSV mode");
        require(
                !isCsv || isByte(newQuote),
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY quote must be a single one-byte character");
        require(
                !isCsv || !newDelimiter.equals(newQuote),
                SqlState.INVALID_PARAMETER_VALUE,
                "COPY delimiter and quote must be different");
        require(isCsv || escape == null, SqlState.FEATURE_NOT_SUPPORTED, "COPY ESCAPE requires CSV mode");
        require(
                !isCsv || isByte(newEscape),
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY escape must be a single one-byte character");
        require(
                isCsv || quoted != null && quoted.isEmpty(),
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY FORCE_QUOTE requires CSV mode");
        require(
                isCsv || forceNotNull != null && forceNotNull.isEmpty(),
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY FORCE_NOT_NULL requires CSV mode");
        require(
                isCsv || forceNull != null && forceNull.isEmpty(),
                SqlState.FEATURE_NOT_SUPPORTED,
                "COPY FORCE_NULL requires CSV mode");
        require(
                !newNull.contains(newDelimiter),
                SqlState.INVALID_PARAMETER_VALUE,
                "COPY delimiter character must not appear in the NULL specification");
        require(
                !isCsv || !newNull.contains(newQuote),
                SqlState.INVALID_PARAMETER_VALUE,
                "CSV quote character must not appear in the NULL specification");
        require(!skipsErrors || !isBinary, SqlState.SYNTAX_ERROR, "only ON_ERROR STOP is allowed in BINARY mode");
        require(
                rejectLimit == 0 || skipsErrors,
                SqlState.INVALID_PARAMETER_VALUE,
                "COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE");
        for (String name : quoted == null || columns == null || columns.isEmpty() ? Set.<String>of() : quoted) {
            require(
                    columns.contains(name),
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "FORCE_QUOTE column \"" + name + "\" not referenced by COPY");
        }
        return new CopyOptions(
                format,
                (byte) newDelimiter.charAt(0),
                newNull,
                header,
                (byte) newQuote.charAt(0),
                (byte) newEscape.charAt(0),
                quoted,
                compression == null ? usual.compression() : compression,
                rowGroupRows);
    }

    private static void require(boolean holds, SqlState state, String message) {
        if (!holds) {
            throw new QueryException(state, message);
        }
    }

    private static boolean isByte(String value) {
        return value.length() == 1 && value.charAt(0) < 128;
    }

    private static boolean hasLineEnd(String value) {
        return value.indexOf('\n') >= 0 || value.indexOf('\r') >= 0;
    }
}
