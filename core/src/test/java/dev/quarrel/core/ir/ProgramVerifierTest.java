package dev.quarrel.core.ir;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Malformed programs are refused, with the instruction named; the same shapes done right are not.
class ProgramVerifierTest {
    private static final RegisterType MASK = RegisterType.MASK;
    private static final RegisterType INT32 = new RegisterType.Value(DataType.INT32);
    private static final RegisterType INT64 = new RegisterType.Value(DataType.INT64);
    private static final RegisterType BOOL = new RegisterType.Value(DataType.BOOL);
    private static final RegisterType UTF8 = new RegisterType.Value(DataType.UTF8);
    private static final List<DataType> INPUTS = List.of(DataType.INT32, DataType.BOOL, DataType.UTF8);
    private static final List<Slot> SLOTS = List.of(new Slot.Constant(new Literal(DataType.INT32, 7L)));

    private static Instruction step(Opcode op, int result, int mask, int immediate, Integer... arguments) {
        return new Instruction(op, result, List.of(arguments), mask, immediate);
    }

    private static void verify(
            List<RegisterType> registers, int selection, List<Integer> outputs, Instruction... code) {
        ProgramVerifier.verify(new Program(INPUTS, registers, List.of(code), selection, outputs), SLOTS);
    }

    private static void accepts(
            List<RegisterType> registers, int selection, List<Integer> outputs, Instruction... code) {
        assertThatCode(() -> verify(registers, selection, outputs, code)).doesNotThrowAnyException();
    }

    private static void refuses(
            String why, List<RegisterType> registers, int selection, List<Integer> outputs, Instruction... code) {
        assertThatThrownBy(() -> verify(registers, selection, outputs, code))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void registerZeroIsTheIncomingMask() {
        refuses("register 0", List.of(), 0, List.of());
        refuses("register 0", List.of(INT32), 0, List.of());
        accepts(List.of(MASK), 0, List.of());
    }

    @Test
    void readBeforeWrite() {
        refuses(
                "before it is written",
                List.of(MASK, INT32, INT32),
                0,
                List.of(),
                step(Opcode.NEG_INT32, 2, 0, 0, 1),
                step(Opcode.LOAD, 1, 0, 0));
        refuses("before it is written", List.of(MASK, INT32), 0, List.of(1));
        refuses("before it is written", List.of(MASK, MASK), 1, List.of());
        refuses("before it is written", List.of(MASK, MASK, INT32), 0, List.of(), step(Opcode.LOAD, 2, 1, 0));
        refuses("before it is written", List.of(MASK, INT32), 0, List.of(), step(Opcode.NEG_INT32, 1, 0, 0, 1));
        refuses("before it is written", List.of(MASK, INT32), 0, List.of(), step(Opcode.NEG_INT32, 1, 0, 0, 9));
        refuses("before it is written", List.of(MASK, INT32), 0, List.of(), step(Opcode.NEG_INT32, 1, 0, 0, -1));
        refuses("before it is written", List.of(MASK, INT32), 0, List.of(), step(Opcode.LOAD, 1, 5, 0));
    }

    @Test
    void writtenTwice() {
        refuses(
                "written twice",
                List.of(MASK, INT32),
                0,
                List.of(1),
                step(Opcode.LOAD, 1, 0, 0),
                step(Opcode.LOAD, 1, 0, 0));
        refuses("written twice", List.of(MASK, BOOL), 0, List.of(), step(Opcode.MASK_TRUE, 0, 0, 0, 1));
    }

    @Test
    void noSuchRegister() {
        refuses("no register 2", List.of(MASK, INT32), 0, List.of(), step(Opcode.LOAD, 2, 0, 0));
        refuses("no register -1", List.of(MASK, INT32), 0, List.of(), step(Opcode.LOAD, -1, 0, 0));
    }

    @Test
    void immediates() {
        refuses("no input 3", List.of(MASK, INT32), 0, List.of(), step(Opcode.LOAD, 1, 0, 3));
        refuses("no input -1", List.of(MASK, INT32), 0, List.of(), step(Opcode.LOAD, 1, 0, -1));
        refuses("no slot 1", List.of(MASK, INT32), 0, List.of(), step(Opcode.CONST, 1, 0, 1));
        refuses(
                "no immediate",
                List.of(MASK, INT32, INT32),
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 0),
                step(Opcode.NEG_INT32, 2, 0, 1, 1));
        List<DataType> times = List.of(DataType.DATE, DataType.TIMESTAMP);
        List<RegisterType> registers = List.of(
                MASK,
                new RegisterType.Value(DataType.DATE),
                INT32,
                new RegisterType.Value(DataType.TIMESTAMP),
                new RegisterType.Value(DataType.TIMESTAMP));
        assertThatThrownBy(() -> ProgramVerifier.verify(
                        new Program(
                                times,
                                registers,
                                List.of(
                                        step(Opcode.LOAD, 1, 0, 0),
                                        step(Opcode.EXTRACT_DATE, 2, 0, DateField.HOUR.ordinal(), 1)),
                                0,
                                List.of()),
                        SLOTS))
                .hasMessageContaining("no field of a date");
        assertThatThrownBy(() -> ProgramVerifier.verify(
                        new Program(
                                times,
                                registers,
                                List.of(
                                        step(Opcode.LOAD, 3, 0, 1),
                                        step(Opcode.TRUNC_TIMESTAMP, 4, 0, DateField.DOW.ordinal(), 3)),
                                0,
                                List.of()),
                        SLOTS))
                .hasMessageContaining("no unit of time");
        assertThatThrownBy(() -> ProgramVerifier.verify(
                        new Program(
                                times,
                                registers,
                                List.of(step(Opcode.LOAD, 1, 0, 0), step(Opcode.EXTRACT_DATE, 2, 0, 99, 1)),
                                0,
                                List.of()),
                        SLOTS))
                .hasMessageContaining("99");
    }

    @Test
    void types() {
        refuses("is not", List.of(MASK, INT64), 0, List.of(), step(Opcode.LOAD, 1, 0, 0));
        refuses("is not", List.of(MASK, INT64), 0, List.of(), step(Opcode.CONST, 1, 0, 0));
        refuses(
                "cannot take",
                List.of(MASK, INT32, INT64),
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 0),
                step(Opcode.NEG_INT64, 2, 0, 0, 1));
        refuses(
                "cannot give",
                List.of(MASK, INT32, INT64),
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 0),
                step(Opcode.NEG_INT32, 2, 0, 0, 1));
        refuses(
                "takes 2 arguments",
                List.of(MASK, INT32, INT32),
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 0),
                step(Opcode.ADD_INT32, 2, 0, 0, 1));
        refuses(
                "no cast",
                List.of(MASK, BOOL, INT64),
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 1),
                step(Opcode.CAST, 2, 0, 0, 1));
        refuses("is a mask", List.of(MASK), 0, List.of(0));
        refuses("is no mask", List.of(MASK, INT32), 1, List.of(), step(Opcode.LOAD, 1, 0, 0));
        refuses(
                "cannot take",
                List.of(MASK, BOOL, INT32, UTF8, INT32),
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 1),
                step(Opcode.LOAD, 2, 0, 0),
                step(Opcode.LOAD, 3, 0, 2),
                step(Opcode.SELECT, 4, 0, 0, 1, 2, 3));
    }

    @Test
    void valueReadUnderAWiderMask() {
        List<RegisterType> registers = List.of(MASK, BOOL, MASK, INT32, INT32);
        Instruction[] start = {
            step(Opcode.LOAD, 1, 0, 1), step(Opcode.MASK_TRUE, 2, 0, 0, 1), step(Opcode.LOAD, 3, 2, 0),
        };
        refuses(
                "not defined",
                registers,
                0,
                List.of(),
                start[0],
                start[1],
                start[2],
                step(Opcode.NEG_INT32, 4, 0, 0, 3));
        accepts(registers, 2, List.of(3, 4), start[0], start[1], start[2], step(Opcode.NEG_INT32, 4, 2, 0, 3));
        refuses("not defined in all surviving rows", registers, 0, List.of(3), start);
        accepts(registers, 2, List.of(3), start);
    }

    @Test
    void valueReadUnderASibling() {
        List<RegisterType> registers = List.of(MASK, BOOL, MASK, MASK, INT32, INT32);
        refuses(
                "not defined",
                registers,
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 1),
                step(Opcode.MASK_TRUE, 2, 0, 0, 1),
                step(Opcode.MASK_NOT_TRUE, 3, 0, 0, 1),
                step(Opcode.LOAD, 4, 2, 0),
                step(Opcode.NEG_INT32, 5, 3, 0, 4));
    }

    @Test
    void maskOfAnotherBranchIsNoArgument() {
        List<RegisterType> registers = List.of(MASK, BOOL, MASK, MASK, MASK);
        refuses(
                "does not lie within",
                registers,
                0,
                List.of(),
                step(Opcode.LOAD, 1, 0, 1),
                step(Opcode.MASK_TRUE, 2, 0, 0, 1),
                step(Opcode.MASK_NOT_TRUE, 3, 0, 0, 1),
                step(Opcode.MASK_MINUS, 4, 2, 0, 3));
    }

    @Test
    void selectReadsBothSidesWhereTheyAreDefined() {
        List<RegisterType> registers = List.of(MASK, BOOL, MASK, MASK, INT32, INT32, INT32);
        Instruction[] start = {
            step(Opcode.LOAD, 1, 0, 1),
            step(Opcode.MASK_TRUE, 2, 0, 0, 1),
            step(Opcode.MASK_MINUS, 3, 0, 0, 2),
            step(Opcode.LOAD, 4, 2, 0),
            step(Opcode.LOAD, 5, 3, 0)
        };
        accepts(registers, 0, List.of(6), with(start, step(Opcode.SELECT, 6, 0, 0, 2, 4, 5)));
        refuses("not defined", registers, 0, List.of(), with(start, step(Opcode.SELECT, 6, 0, 0, 2, 5, 4)));
        refuses("not defined", registers, 0, List.of(), with(start, step(Opcode.SELECT, 6, 0, 0, 2, 4, 4)));
        refuses("not defined", registers, 0, List.of(), with(start, step(Opcode.SELECT, 6, 0, 0, 3, 4, 5)));
    }

    @Test
    void andAndOrReadTheSecondWhereTheFirstLeavesItOpen() {
        List<RegisterType> registers = List.of(MASK, BOOL, MASK, BOOL, BOOL);
        for (boolean isOr : new boolean[] {false, true}) {
            Opcode op = isOr ? Opcode.OR : Opcode.AND;
            Opcode needed = isOr ? Opcode.MASK_NOT_TRUE : Opcode.MASK_NOT_FALSE;
            Opcode wrong = isOr ? Opcode.MASK_NOT_FALSE : Opcode.MASK_TRUE;
            accepts(
                    registers,
                    0,
                    List.of(4),
                    step(Opcode.LOAD, 1, 0, 1),
                    step(needed, 2, 0, 0, 1),
                    step(Opcode.LOAD, 3, 2, 1),
                    step(op, 4, 0, 0, 1, 3));
            refuses(
                    "not defined",
                    registers,
                    0,
                    List.of(4),
                    step(Opcode.LOAD, 1, 0, 1),
                    step(wrong, 2, 0, 0, 1),
                    step(Opcode.LOAD, 3, 2, 1),
                    step(op, 4, 0, 0, 1, 3));
        }
    }

    /// The first argument decides about another instruction's mask: that mask says nothing of this AND.
    @Test
    void theMaskMustComeFromTheSameFirstArgument() {
        List<RegisterType> registers = List.of(MASK, BOOL, BOOL, MASK, BOOL, BOOL);
        refuses(
                "not defined",
                registers,
                0,
                List.of(5),
                step(Opcode.LOAD, 1, 0, 1),
                step(Opcode.NOT, 2, 0, 0, 1),
                step(Opcode.MASK_NOT_FALSE, 3, 0, 0, 2),
                step(Opcode.LOAD, 4, 3, 1),
                step(Opcode.AND, 5, 0, 0, 1, 4));
    }

    @Test
    void scalesOfDecimals() {
        DataType two = new DataType.Decimal(10, 2);
        DataType four = new DataType.Decimal(20, 4);
        List<DataType> inputs = List.of(two, four);
        Instruction[] loads = {step(Opcode.LOAD, 1, 0, 0), step(Opcode.LOAD, 2, 0, 1)};
        assertThatThrownBy(() -> verifyDecimal(inputs, new DataType.Decimal(21, 4), loads, Opcode.ADD_DECIMAL, 1, 2))
                .hasMessageContaining("scales differ");
        assertThatThrownBy(() -> verifyDecimal(inputs, new DataType.Decimal(21, 4), loads, Opcode.ADD_DECIMAL, 1, 1))
                .hasMessageContaining("scales differ");
        assertThatThrownBy(() -> verifyDecimal(inputs, new DataType.Decimal(30, 4), loads, Opcode.MUL_DECIMAL, 1, 2))
                .hasMessageContaining("sum of scales");
        assertThatThrownBy(() -> verifyDecimal(inputs, DataType.BOOL, loads, Opcode.LT_DECIMAL, 1, 2))
                .hasMessageContaining("scales differ");
        assertThatCode(() -> verifyDecimal(inputs, new DataType.Decimal(30, 6), loads, Opcode.MUL_DECIMAL, 1, 2))
                .doesNotThrowAnyException();
        assertThatCode(() -> verifyDecimal(inputs, new DataType.Decimal(11, 2), loads, Opcode.ADD_DECIMAL, 1, 1))
                .doesNotThrowAnyException();
    }

    private static void verifyDecimal(
            List<DataType> inputs, DataType result, Instruction[] loads, Opcode op, Integer... arguments) {
        List<RegisterType> registers = List.of(
                MASK,
                new RegisterType.Value(inputs.get(0)),
                new RegisterType.Value(inputs.get(1)),
                new RegisterType.Value(result));
        Program program =
                new Program(inputs, registers, List.of(with(loads, step(op, 3, 0, 0, arguments))), 0, List.of(3));
        ProgramVerifier.verify(program, SLOTS);
    }

    private static Instruction[] with(Instruction[] start, Instruction last) {
        Instruction[] all = Arrays.copyOf(start, start.length + 1);
        all[start.length] = last;
        return all;
    }
}
