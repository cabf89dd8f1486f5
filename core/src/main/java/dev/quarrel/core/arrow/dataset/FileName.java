package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFileWriter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// Converts SQL names to names of files and folders, and back.
///
/// The name stands as it is, case kept. `%` and two hexadecimal digits stand for one byte of its UTF-8 where the plain
/// character cannot: `/`, `\`, `%`, control characters, `_` or `.` in front (such names are never read), `=` (which
/// would look like a partition), and the dot of an ending `.tmp`.
public final class FileName {
    static final String ARROW_SUFFIX = ".arrow";

    private FileName() {}

    public static String encode(String name) {
        StringBuilder encoded = new StringBuilder(name.length());
        for (int index = 0; index < name.length(); index++) {
            char character = name.charAt(index);
            boolean hidden = index == 0 && (character == '_' || character == '.');
            boolean temporary = character == '.' && name.substring(index).equals(ArrowFileWriter.TEMPORARY_SUFFIX);
            if (hidden || temporary || character < ' ' || character == 0x7F || "/\\%=".indexOf(character) >= 0) {
                encoded.append('%').append("%02X".formatted((int) character));
            } else {
                encoded.append(character);
            }
        }
        return encoded.toString();
    }

    /// A `%` that no two hexadecimal digits follow stands for itself: other people's files have such names. So does one
    /// before `00`: no name and no text in SQL has a NUL character.
    public static String decode(String fileName) {
        if (fileName.indexOf('%') < 0) {
            return fileName;
        }
        byte[] bytes = fileName.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
        for (int index = 0; index < bytes.length; index++) {
            int high = bytes[index] == '%' && index + 2 < bytes.length ? Character.digit(bytes[index + 1], 16) : -1;
            int low = high >= 0 ? Character.digit(bytes[index + 2], 16) : -1;
            if (low >= 0 && (high | low) != 0) {
                decoded.write(high << 4 | low);
                index += 2;
            } else {
                decoded.write(bytes[index]);
            }
        }
        return decoded.toString(StandardCharsets.UTF_8);
    }

    /// Whether a file or folder of that name is never read.
    public static boolean isHidden(String fileName) {
        return fileName.startsWith("_")
                || fileName.startsWith(".")
                || fileName.endsWith(ArrowFileWriter.TEMPORARY_SUFFIX);
    }
}
