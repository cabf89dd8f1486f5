package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.stats.StatsText;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The names of a table's partition folders, which hold the values of its keys as in Hive:
/// `region=eu/day=2026-11-21`.
///
/// Bytes of keys and values other than letters, digits, `-`, `_` and `.` are %-encoded; NULL is
/// `__HIVE_DEFAULT_PARTITION__`.
public final class PartitionFolder {
    private static final String NULL = "__HIVE_DEFAULT_PARTITION__";
    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    private PartitionFolder() {}

    static boolean is(String folderName) {
        return folderName.indexOf('=') > 0;
    }

    public static String key(String folderName) {
        return FileName.decode(folderName.substring(0, folderName.indexOf('=')));
    }

    /// The value's text; null for NULL.
    public static String value(String folderName) {
        String value = folderName.substring(folderName.indexOf('=') + 1);
        return value.equals(NULL) ? null : FileName.decode(value);
    }

    /// The keys of a path, of which these are the folders, and others.
    static SequencedMap<String, String> keys(Iterable<String> folderNames) {
        SequencedMap<String, String> keys = new LinkedHashMap<>();
        for (String folder : folderNames) {
            if (is(folder)) {
                keys.put(key(folder), value(folder));
            }
        }
        return keys;
    }

    /// @param value its text, or null
    static String name(String key, String value) {
        String encoded = encoded(key);
        // Names that begin with these are never read.
        if (encoded.startsWith("_") || encoded.startsWith(".")) {
            encoded = "%%%02X".formatted((int) encoded.charAt(0)) + encoded.substring(1);
        }
        String folder = encoded + "=" + (value == null ? NULL : encoded(value));
        return folder.endsWith(ArrowFileWriter.TEMPORARY_SUFFIX)
                ? folder.substring(0, folder.length() - ArrowFileWriter.TEMPORARY_SUFFIX.length()) + "%2Etmp"
                : folder;
    }

    private static String encoded(String text) {
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            boolean isPlain = each >= '0' && each <= '9'
                    || each >= 'a' && each <= 'z'
                    || each >= 'A' && each <= 'Z'
                    || each == '-'
                    || each == '_'
                    || each == '.';
            if (isPlain) {
                encoded.write(each);
            } else {
                encoded.writeBytes("%%%02X".formatted(each & 0xFF).getBytes(StandardCharsets.US_ASCII));
            }
        }
        return encoded.toString(StandardCharsets.US_ASCII);
    }

    /// The columns that the keys of a table's files are, where nobody says their types: bigint where every value is an
    /// integer, date where every one is, else text.
    ///
    /// @param files the keys of each file
    static List<Field> fields(List<Map<String, String>> files) {
        List<Field> fields = new ArrayList<>();
        Map<String, Boolean> seen = new HashMap<>();
        for (Map<String, String> file : files) {
            for (String key : file.keySet()) {
                if (seen.put(key, true) == null) {
                    List<Map<String, String>> having =
                            files.stream().filter(each -> each.containsKey(key)).toList();
                    boolean nullable =
                            having.size() < files.size() || having.stream().anyMatch(each -> each.get(key) == null);
                    fields.add(new Field(key, type(having, key), nullable));
                }
            }
        }
        return fields;
    }

    private static DataType type(List<Map<String, String>> files, String key) {
        List<String> values = files.stream()
                .map(file -> file.get(key))
                .filter(Objects::nonNull)
                .toList();
        return Stream.of(Map.entry(DataType.INT64, INTEGER), Map.entry(DataType.DATE, DATE))
                .filter(type -> !values.isEmpty()
                        && values.stream()
                                .allMatch(
                                        value -> type.getValue().matcher(value).matches()
                                                && StatsText.parse(type.getKey(), value) != null))
                .map(Map.Entry::getKey)
                .findFirst()
                .<DataType>map(type -> type)
                .orElse(DataType.UTF8);
    }
}
