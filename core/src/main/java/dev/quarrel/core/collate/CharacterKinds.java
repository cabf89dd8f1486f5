package dev.quarrel.core.collate;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UProperty;

/// What a collation's provider says of characters: whether they are letters, digits and so on, and their other case.
///
/// - Source: PostgreSQL's `pg_locale_icu.c`, `unicode_category.c`; glibc's `iswalpha` and its like.
public sealed interface CharacterKinds {
    enum Kind {
        ALPHA,
        DIGIT,
        ALNUM,
        SPACE,
        UPPER,
        LOWER,
        GRAPH,
        PRINT,
        PUNCT
    }

    boolean is(Kind kind, int character);

    default int upper(int character) {
        return Character.toUpperCase(character);
    }

    default int lower(int character) {
        return Character.toLowerCase(character);
    }

    /// @param spec as `Collation.spec` has it
    static CharacterKinds of(String spec) {
        return switch (spec.charAt(0)) {
            case 'i' -> Icu.INSTANCE;
            case 'b' -> new Builtin(!spec.startsWith("b:PG_UNICODE_FAST"));
            default -> System.INSTANCE;
        };
    }

    private static boolean isIn(int character, int... categories) {
        int own = Character.getType(character);
        for (int category : categories) {
            if (own == category) {
                return true;
            }
        }
        return false;
    }

    private static boolean isPunctuation(int character) {
        return isIn(
                character,
                Character.CONNECTOR_PUNCTUATION,
                Character.DASH_PUNCTUATION,
                Character.START_PUNCTUATION,
                Character.END_PUNCTUATION,
                Character.INITIAL_QUOTE_PUNCTUATION,
                Character.FINAL_QUOTE_PUNCTUATION,
                Character.OTHER_PUNCTUATION);
    }

    private static boolean isSymbol(int character) {
        return isIn(
                character,
                Character.MATH_SYMBOL,
                Character.CURRENCY_SYMBOL,
                Character.MODIFIER_SYMBOL,
                Character.OTHER_SYMBOL);
    }

    /// By general categories.
    enum Icu implements CharacterKinds {
        INSTANCE;

        @Override
        public boolean is(Kind kind, int character) {
            return switch (kind) {
                case ALPHA -> UCharacter.isLetter(character);
                case DIGIT -> UCharacter.isDigit(character);
                case ALNUM -> UCharacter.isLetterOrDigit(character);
                case SPACE -> isSpace(character);
                case UPPER -> UCharacter.isUpperCase(character);
                case LOWER -> UCharacter.isLowerCase(character);
                case GRAPH -> !isBlankOrControl(character) && !isIn(character, Character.FORMAT) && !isGap(character);
                case PRINT -> UCharacter.isPrintable(character);
                case PUNCT -> isPunctuation(character);
            };
        }

        private static boolean isGap(int character) {
            return isIn(character, Character.SURROGATE, Character.UNASSIGNED);
        }

        private static boolean isBlankOrControl(int character) {
            return isSeparator(character) || isIn(character, Character.CONTROL);
        }

        private static boolean isSeparator(int character) {
            return isIn(character, Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR);
        }

        private static boolean isSpace(int character) {
            return isSeparator(character)
                    || character >= '\t' && character <= '\r'
                    || character >= 0x1C && character <= 0x1F
                    || character == 0x85;
        }
    }

    /// By Unicode's properties.
    ///
    /// @param isPosix whether only ASCII's digits are digits, and symbols are punctuation
    record Builtin(boolean isPosix) implements CharacterKinds {
        @Override
        public boolean is(Kind kind, int character) {
            return switch (kind) {
                case ALPHA -> Character.isAlphabetic(character);
                case DIGIT -> isDigit(character);
                case ALNUM -> Character.isAlphabetic(character) || isDigit(character);
                case SPACE -> isSpace(character);
                case UPPER -> Character.isUpperCase(character);
                case LOWER -> Character.isLowerCase(character);
                case GRAPH -> isGraph(character);
                case PRINT -> isGraph(character) || isIn(character, Character.SPACE_SEPARATOR);
                case PUNCT ->
                    isPunctuation(character) || isPosix && isSymbol(character) && !Character.isAlphabetic(character);
            };
        }

        private boolean isDigit(int character) {
            return isPosix ? character >= '0' && character <= '9' : Character.isDigit(character);
        }

        private static boolean isSpace(int character) {
            return UCharacter.hasBinaryProperty(character, UProperty.WHITE_SPACE);
        }

        private static boolean isGraph(int character) {
            return !isSpace(character)
                    && !isIn(character, Character.CONTROL, Character.SURROGATE, Character.UNASSIGNED);
        }
    }

    /// glibc's: letters are all that is alphabetic, and digits beyond ASCII.
    enum System implements CharacterKinds {
        INSTANCE;

        @Override
        public boolean is(Kind kind, int character) {
            boolean isDigit = character >= '0' && character <= '9';
            return switch (kind) {
                case ALPHA -> isLetter(character);
                case DIGIT -> isDigit;
                case ALNUM -> isDigit || isLetter(character);
                case SPACE -> isSpace(character);
                case UPPER -> Character.isUpperCase(character) || lower(character) != character;
                case LOWER -> Character.isLowerCase(character) || upper(character) != character;
                case GRAPH -> isPrint(character) && !isSpace(character);
                case PRINT -> isPrint(character);
                case PUNCT -> isPrint(character) && !isSpace(character) && !isDigit && !isLetter(character);
            };
        }

        private static boolean isLetter(int character) {
            return Character.isAlphabetic(character) || character > 0x7F && Character.isDigit(character);
        }

        private static boolean isPrint(int character) {
            return !isIn(
                    character,
                    Character.CONTROL,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR);
        }

        private static boolean isSpace(int character) {
            boolean isFixed = character == 0xA0 || character == 0x2007 || character == 0x202F || character == 0x85;
            return !isFixed && UCharacter.hasBinaryProperty(character, UProperty.WHITE_SPACE);
        }
    }
}
