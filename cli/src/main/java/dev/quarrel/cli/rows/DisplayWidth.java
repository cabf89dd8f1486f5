package dev.quarrel.cli.rows;

/// Counts the columns of a terminal that a text takes: 2 for East Asian wide characters and most emoji, 0 for
/// combining marks.
public final class DisplayWidth {
    // Blocks whose characters are wide; coarser than Unicode's EastAsianWidth.txt, and enough to align a table.
    private static final int[][] WIDE = {
        {0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF},
        {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
        {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}
    };

    private DisplayWidth() {}

    public static int of(String text) {
        int width = 0;
        for (int index = 0; index < text.length(); ) {
            int codePoint = text.codePointAt(index);
            width += codePoint < 0x300 ? 1 : widthOf(codePoint);
            index += Character.charCount(codePoint);
        }
        return width;
    }

    private static int widthOf(int codePoint) {
        switch (Character.getType(codePoint)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> {
                return 0;
            }
            default -> {
                for (int[] block : WIDE) {
                    if (codePoint >= block[0] && codePoint <= block[1]) {
                        return 2;
                    }
                }
                return 1;
            }
        }
    }
}
