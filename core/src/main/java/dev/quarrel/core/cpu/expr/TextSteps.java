package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.text.BinaryFunctions;
import dev.quarrel.core.cpu.text.PatternKernel;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.text.TextFunctions;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/// The steps of text, bytes and patterns: a [FunctionStep] with the kernel of its opcode.
final class TextSteps {
    private TextSteps() {}

    /// - Returns: null for an opcode of another family
    static Step of(Instruction instruction) {
        RowFunction kernel = kernel(instruction.op());
        return kernel == null ? null : new FunctionStep(instruction.arguments(), instruction.result(), kernel);
    }

    private static RowFunction kernel(Opcode op) {
        return switch (op) {
            case LIKE -> new PatternKernel.Like(false);
            case ILIKE -> new PatternKernel.Like(true);
            case REGEX -> new PatternKernel.Posix(false);
            case REGEX_NOCASE -> new PatternKernel.Posix(true);
            case LENGTH -> TextFunctions::length;
            case UPPER -> TextFunctions::upper;
            case LOWER -> TextFunctions::lower;
            case REVERSE -> TextFunctions::reverse;
            case CONCAT -> TextFunctions::concat;
            case SUBSTRING -> TextFunctions::substring;
            case SUBSTRING_FROM -> TextFunctions::substringFrom;
            case LTRIM -> (in, out, row) -> TextFunctions.trim(true, false, in, out, row);
            case RTRIM -> (in, out, row) -> TextFunctions.trim(false, true, in, out, row);
            case BTRIM -> (in, out, row) -> TextFunctions.trim(true, true, in, out, row);
            case REPLACE -> TextFunctions::replace;
            case POSITION -> TextFunctions::position;
            case LEFT -> TextFunctions::left;
            case RIGHT -> TextFunctions::right;
            case UTF8_BYTES -> BinaryFunctions::same;
            case BYTES_UTF8 -> BinaryFunctions::text;
            case LENGTH_BINARY -> BinaryFunctions::length;
            case BIT_COUNT -> BinaryFunctions::bitCount;
            case CONCAT_BINARY -> TextFunctions::concat;
            case SUBSTRING_BINARY -> BinaryFunctions::substring;
            case SUBSTRING_FROM_BINARY -> BinaryFunctions::substringFrom;
            case POSITION_BINARY -> BinaryFunctions::position;
            case LTRIM_BINARY -> (in, out, row) -> BinaryFunctions.trim(true, false, in, out, row);
            case RTRIM_BINARY -> (in, out, row) -> BinaryFunctions.trim(false, true, in, out, row);
            case BTRIM_BINARY -> (in, out, row) -> BinaryFunctions.trim(true, true, in, out, row);
            case REVERSE_BINARY -> BinaryFunctions::reverse;
            case GET_BYTE -> BinaryFunctions::getByte;
            case SET_BYTE -> BinaryFunctions::setByte;
            case GET_BIT -> BinaryFunctions::getBit;
            case SET_BIT -> BinaryFunctions::setBit;
            case LIKE_BINARY -> new PatternKernel.LikeBytes();
            case IN_INT64 -> new ConstantList.OfInt64();
            case IN_UTF8 -> new ConstantList.OfText();
            case ENCODE -> new BinaryFunctions.Encode();
            case DECODE -> BinaryFunctions::decode;
            case MD5 -> new BinaryFunctions.Digest("MD5", true);
            case SHA224 -> new BinaryFunctions.Digest("SHA-224", false);
            case SHA256 -> new BinaryFunctions.Digest("SHA-256", false);
            case SHA384 -> new BinaryFunctions.Digest("SHA-384", false);
            case SHA512 -> new BinaryFunctions.Digest("SHA-512", false);
            case CRC32 -> new BinaryFunctions.Sum(new CRC32());
            case CRC32C -> new BinaryFunctions.Sum(new CRC32C());
            default -> null;
        };
    }
}
