"""Reads an Arrow file with pyarrow and with DuckDB, and compares every value with PostgreSQL's text.

Usage: compare.py FILE.arrow EXPECTED.json
EXPECTED.json: {"COLUMN": [text or null, in the order of the column "id"], ...}
Prints a line for each column that differs, and "equal N columns" for each reader.
"""
import decimal
import json
import struct
import sys

import duckdb
import pyarrow as pa
import pyarrow.ipc

decimal.getcontext().prec = 200
MICROS_A_DAY = 86_400_000_000


def note(field, key):
    metadata = field.metadata or {}
    value = metadata.get(key.encode())
    return None if value is None else value.decode()


def date(days):
    """Howard Hinnant's civil_from_days, with PostgreSQL's infinities and years before Christ."""
    if days == 2**31 - 1:
        return "infinity", ""
    if days == -(2**31):
        return "-infinity", ""
    z = days + 719468
    era = z // 146097
    day_of_era = z - era * 146097
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (1 if month <= 2 else 0)
    era_text = " BC" if year <= 0 else ""
    return "%04d-%02d-%02d" % (1 - year if year <= 0 else year, month, day), era_text


def clock(micros):
    seconds, fraction = divmod(micros, 1_000_000)
    text = "%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
    return text + (".%06d" % fraction).rstrip("0") if fraction else text


def timestamp(micros, zone):
    if micros == 2**63 - 1:
        return "infinity"
    if micros == -(2**63):
        return "-infinity"
    days, rest = divmod(micros, MICROS_A_DAY)
    text, era = date(days)
    return text + " " + clock(rest) + ("+00" if zone else "") + era


def interval(months, days, nanos):
    if (months, days) == (2**31 - 1, 2**31 - 1):
        return "infinity"
    if (months, days) == (-(2**31), -(2**31)):
        return "-infinity"
    micros = int(nanos) // 1000 if nanos >= 0 else -(-int(nanos) // 1000)
    sign = -1 if months < 0 else 1
    years, months = sign * (abs(months) // 12), sign * (abs(months) % 12)
    parts = []
    before = False
    for count, unit in ((years, "year"), (months, "mon"), (days, "day")):
        if count:
            plus = "+" if before and count > 0 else ""
            parts.append(plus + "%d %s%s" % (count, unit, "" if count == 1 else "s"))
            before = count < 0
    if micros or not parts:
        parts.append(("-" if micros < 0 else "+" if before else "") + clock(abs(micros)))
    return " ".join(parts)


def shortest(value, single):
    if not single:
        return repr(value)
    for digits in range(1, 10):
        text = "%.*e" % (digits - 1, value)
        if struct.unpack("f", struct.pack("f", float(text)))[0] == value:
            return text
    return text


def floating(value, single):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0" if str(value)[0] == "-" else "0"
    sign, digits, exponent = decimal.Decimal(shortest(value, single)).as_tuple()
    digits = "".join(map(str, digits)).rstrip("0")
    power = exponent + len("".join(map(str, decimal.Decimal(shortest(value, single)).as_tuple().digits))) - 1
    if power < -4 or power >= (6 if single else 15):
        text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e%s%02d" % ("-" if power < 0 else "+", abs(power))
    elif power < 0:
        text = "0." + "0" * (-power - 1) + digits
    elif len(digits) <= power + 1:
        text = digits + "0" * (power + 1 - len(digits))
    else:
        text = digits[: power + 1] + "." + digits[power + 1:]
    return "-" + text if sign else text


def element(text):
    if text is None:
        return "NULL"
    if text == "" or text.upper() == "NULL" or any(c in '"\\{}, \t\n\r\v\f' for c in text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text


def word(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def member(text, special):
    if text is None:
        return ""
    if text == "" or any(c in special for c in text):
        return '"' + text.replace("\\", "\\\\").replace('"', '""') + '"'
    return text


def texts(array, field):
    """PostgreSQL's texts of all values; `field` is the file's own, for what DuckDB does not carry over."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            storage = array.storage.to_pylist()
            return [None if v is None else "-".join((h := v.hex())[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))) for v in storage]
        array, kind = array.storage, array.type.storage_type
    if pa.types.is_dictionary(kind):
        array = array.dictionary_decode()
        kind = array.type
    valid = array.is_valid().to_pylist()
    if pa.types.is_map(kind):
        keys = array.keys.to_pylist()
        items = array.items.to_pylist()
        ends = array.offsets.to_pylist()
        pairs = [word(k) + "=>" + word(v) for k, v in zip(keys, items)]
        return [", ".join(pairs[ends[row]: ends[row + 1]]) if present else None for row, present in enumerate(valid)]
    if note(field, "pg.form") == "hex":
        return [None if v is None else v.hex().upper() for v in array.to_pylist()]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner_field = field.type.value_field
        inner = texts(array.values, inner_field)
        ends = array.offsets.to_pylist()
        is_raw = note(field, "pg.form") == "multirange" or pa.types.is_list(kind.value_type) and note(inner_field, "pg.form") is None
        rows = []
        for row, present in enumerate(valid):
            values = inner[ends[row]: ends[row + 1]]
            if note(field, "pg.form") == "vector":
                rows.append("[" + ",".join(values) + "]" if present else None)
                continue
            rows.append("{" + ",".join(v if is_raw else element(v) for v in values) + "}" if present else None)
        return rows
    if pa.types.is_struct(kind):
        names = [kind.field(i).name for i in range(kind.num_fields)]
        members = [texts(array.field(i), field.type.field(i)) for i in range(kind.num_fields)]
        return [struct_text(names, [m[row] for m in members], field) if valid[row] else None for row in range(len(array))]
    if pa.types.is_date32(kind):
        return [None if v is None else "".join(date(v)) for v in array.cast(pa.int32()).to_pylist()]
    if pa.types.is_timestamp(kind):
        assert kind.unit == "us", kind
        return [None if v is None else timestamp(v, kind.tz is not None) for v in array.cast(pa.int64()).to_pylist()]
    if pa.types.is_time64(kind):
        assert kind.unit == "us", kind
        return [None if v is None else clock(v) for v in array.cast(pa.int64()).to_pylist()]
    if pa.types.is_float16(kind):
        array = array.cast(pa.float32())
        kind = array.type
    values = array.to_pylist()
    if pa.types.is_floating(kind):
        single = pa.types.is_float32(kind)
        return [None if v is None else floating(v, single) for v in values]
    if pa.types.is_boolean(kind):
        return [None if v is None else "t" if v else "f" for v in values]
    if pa.types.is_decimal(kind):
        return [None if v is None else format(v, "f") for v in values]
    if pa.types.is_interval(kind):
        return [None if v is None else interval(*v) for v in values]
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [None if v is None else "\\x" + v.hex() for v in values]
    return [None if v is None else str(v) for v in values]


def struct_text(names, values, field):
    if names == ["unscaled", "scale"]:
        if int(values[1]) == -32768:
            return {0: "NaN", 1: "Infinity", -1: "-Infinity"}[int(values[0])]
        return format(decimal.Decimal(int(values[0])).scaleb(-int(values[1])), "f")
    if note(field, "pg.form") == "range":
        lower, upper, lower_inc, upper_inc, empty = values
        if empty == "t":
            return "empty"
        special = '"\\()[], \t\n\r\v\f'
        return ("[" if lower_inc == "t" else "(") + member(lower, special) + "," + member(upper, special) + ("]" if upper_inc == "t" else ")")
    return "(" + ",".join(member(v, '"\\(), \t\n\r\v\f') for v in values) + ")"


def is_same_float(kind, one, other):
    """PostgreSQL's shortest digits are of those strictly between two floats, ours of those on the border, too."""
    if not pa.types.is_floating(kind) or one is None or other is None:
        return False
    bits = "f" if pa.types.is_float32(kind) else "d"
    return struct.pack(bits, float(one)) == struct.pack(bits, float(other))


def compare(reader, column, kind, found, expected):
    for row, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if ours != theirs and not is_same_float(kind, ours, theirs):
            print(f"{reader}: column {column}, row {row}: {ours!r} instead of {theirs!r}")
            return False
    return True


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        expected = json.load(file)
    with pa.ipc.open_file(pa.memory_map(sys.argv[1])) as file:
        table = file.read_all()
    for name in table.column_names:
        try:
            table.select([name]).validate(full=True)
        except pa.ArrowInvalid as error:
            if "time64[us] 86400000000 is not" not in str(error):  # PostgreSQL has 24:00, Arrow's definition has not
                print(f"pyarrow: column {name} is invalid: {error}")
    order = sorted(range(table.num_rows), key=table.column("id").to_pylist().__getitem__)
    equal = 0
    for column, wanted in expected.items():
        array = table.column(column).combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
        found = texts(array, table.schema.field(column))
        equal += compare("pyarrow", column, array.type, [found[row] for row in order], wanted)
    print(f"pyarrow: {equal} of {len(expected)} columns equal")
    equal = 0
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for column, wanted in expected.items():
        one = table.select(["id", column])
        try:
            result = connection.sql(f'SELECT "{column}" FROM one ORDER BY id').to_arrow_table()
            array = result.column(0).combine_chunks()
            array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
            equal += compare("duckdb", column, array.type, texts(array, table.schema.field(column)), wanted)
        except Exception as error:
            print(f"duckdb: column {column}: {type(error).__name__}: {error}")
    print(f"duckdb: {equal} of {len(expected)} columns equal")


main()
