package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BPCHAR;
import static dev.quarrel.core.pg.PgType.BYTEA;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.NAME;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;
import static dev.quarrel.core.pg.PgType.UUID;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.PROGRAM_LIMIT_EXCEEDED;
import static dev.quarrel.core.type.SqlState.SUBSTRING_ERROR;

import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import java.util.List;

/// Functions of bytes, of encodings and checksums, and of UUIDs.
final class BytesRows {
    static final List<FunctionRow> ALL = List.of(
            function("length", BYTEA).gives(INT4).opcode(Opcode.LENGTH_BINARY),
            function("octet_length", BYTEA).gives(INT4).opcode(Opcode.LENGTH_BINARY),
            function("octet_length", TEXT).gives(INT4).expression(),
            function("octet_length", BPCHAR).gives(INT4).expression(),
            function("bit_length", BYTEA).gives(INT4).expression(),
            function("bit_length", TEXT).gives(INT4).expression(),
            function("bit_count", BYTEA).gives(INT8).opcode(Opcode.BIT_COUNT),
            function("substring", BYTEA, INT4, INT4).gives(BYTEA).opcode(Opcode.SUBSTRING_BINARY),
            function("substring", BYTEA, INT4).gives(BYTEA).opcode(Opcode.SUBSTRING_FROM_BINARY),
            function("substr", BYTEA, INT4, INT4).gives(BYTEA).opcode(Opcode.SUBSTRING_BINARY),
            function("substr", BYTEA, INT4).gives(BYTEA).opcode(Opcode.SUBSTRING_FROM_BINARY),
            function("overlay", BYTEA, BYTEA, INT4, INT4)
                    .gives(BYTEA)
                    .fails(SUBSTRING_ERROR, NUMERIC_VALUE_OUT_OF_RANGE, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("byteaoverlay"),
            function("overlay", BYTEA, BYTEA, INT4)
                    .gives(BYTEA)
                    .fails(SUBSTRING_ERROR, NUMERIC_VALUE_OUT_OF_RANGE, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("byteaoverlay_no_len"),
            function("position", BYTEA, BYTEA).gives(INT4).opcode(Opcode.POSITION_BINARY),
            function("btrim", BYTEA, BYTEA).gives(BYTEA).opcode(Opcode.BTRIM_BINARY),
            function("ltrim", BYTEA, BYTEA).gives(BYTEA).opcode(Opcode.LTRIM_BINARY),
            function("rtrim", BYTEA, BYTEA).gives(BYTEA).opcode(Opcode.RTRIM_BINARY),
            function("reverse", BYTEA).gives(BYTEA).opcode(Opcode.REVERSE_BINARY),
            function("get_byte", BYTEA, INT4).gives(INT4).opcode(Opcode.GET_BYTE),
            function("set_byte", BYTEA, INT4, INT4).gives(BYTEA).opcode(Opcode.SET_BYTE),
            function("get_bit", BYTEA, INT8).gives(INT4).opcode(Opcode.GET_BIT),
            function("set_bit", BYTEA, INT8, INT4).gives(BYTEA).opcode(Opcode.SET_BIT),
            function("encode", BYTEA, TEXT).gives(TEXT).opcode(Opcode.ENCODE),
            function("decode", TEXT, TEXT).gives(BYTEA).opcode(Opcode.DECODE),
            function("convert", BYTEA, NAME, NAME).gives(BYTEA).stable().expression(),
            function("length", BYTEA, NAME).gives(INT4).stable().expression(),
            function("convert_to", TEXT, NAME).gives(BYTEA).stable().expression(),
            function("convert_from", BYTEA, NAME).gives(TEXT).stable().expression(),
            function("md5", BYTEA).gives(TEXT).opcode(Opcode.MD5),
            function("md5", TEXT).gives(TEXT).expression(),
            function("sha224", BYTEA).gives(BYTEA).opcode(Opcode.SHA224),
            function("sha256", BYTEA).gives(BYTEA).opcode(Opcode.SHA256),
            function("sha384", BYTEA).gives(BYTEA).opcode(Opcode.SHA384),
            function("sha512", BYTEA).gives(BYTEA).opcode(Opcode.SHA512),
            function("crc32", BYTEA).gives(INT8).opcode(Opcode.CRC32),
            function("crc32c", BYTEA).gives(INT8).opcode(Opcode.CRC32C),
            function("uuid_extract_version", UUID).gives(INT2).givesNull().kernel("uuid_extract_version"),
            function("uuid_extract_timestamp", UUID)
                    .gives(TIMESTAMPTZ)
                    .givesNull()
                    .kernel("uuid_extract_timestamp"),
            function("bytea", INT2).gives(BYTEA).kernel("int2_bytea"),
            function("bytea", INT4).gives(BYTEA).kernel("int4_bytea"),
            function("bytea", INT8).gives(BYTEA).kernel("int8_bytea"),
            function("int2", BYTEA)
                    .gives(INT2)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("bytea_int2"),
            function("int4", BYTEA)
                    .gives(INT4)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("bytea_int4"),
            function("int8", BYTEA)
                    .gives(INT8)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("bytea_int8"),
            function("boolsend", PgType.BOOL).gives(BYTEA).kernel("boolsend"),
            function("int2send", INT2).gives(BYTEA).kernel("int2send"),
            function("int4send", INT4).gives(BYTEA).kernel("int4send"),
            function("int8send", INT8).gives(BYTEA).kernel("int8send"),
            function("float4send", PgType.FLOAT4).gives(BYTEA).kernel("float4send"),
            function("float8send", PgType.FLOAT8).gives(BYTEA).kernel("float8send"),
            function("textsend", TEXT).gives(BYTEA).stable().kernel("textsend"),
            function("byteasend", BYTEA).gives(BYTEA).kernel("byteasend"));

    private BytesRows() {}
}
