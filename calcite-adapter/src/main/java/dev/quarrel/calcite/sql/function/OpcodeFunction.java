package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;

/// A function that is a single opcode and returns NULL if an argument is NULL.
public final class OpcodeFunction extends SqlFunction {
    private final transient Opcode opcode;
    private final transient List<DataType> arguments;
    private final transient DataType result;

    /// @param arguments the types that the opcode takes
    public OpcodeFunction(Opcode opcode, List<SqlType> arguments, SqlType result) {
        super(
                opcode.name().toLowerCase(Locale.ROOT),
                SqlKind.OTHER_FUNCTION,
                binding -> {
                    RelDataType type = SqlTypes.relType(binding.getTypeFactory(), result.pgType(), PgType.NO_TYPMOD);
                    boolean isNullable = binding.collectOperandTypes().stream().anyMatch(RelDataType::isNullable);
                    return binding.getTypeFactory().createTypeWithNullability(type, isNullable);
                },
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);
        this.opcode = opcode;
        this.arguments =
                arguments.stream().map(type -> type.pgType().dataType()).toList();
        this.result = result.pgType().dataType();
    }

    public Opcode opcode() {
        return opcode;
    }

    public List<DataType> arguments() {
        return arguments;
    }

    public DataType result() {
        return result;
    }
}
