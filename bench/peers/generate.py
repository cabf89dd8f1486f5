"""Makes the data of a suite of our own: joins, logs, scale or keys.

    generate.py joins|logs|scale|keys SCALE FOLDER

FOLDER gets schema.sql, in PostgreSQL's words, and a TABLE.csv for each table; the queries are in bench/suites. A value hangs on
its row, its column and the seed alone, by a hash whose version requirements-tpc.txt pins: the same scale gives the same bytes.

- joins: 22 tables about works and the people who made them. Foreign keys are skewed (a few works have most reviews), and columns
  correlate (language with country, genre with kind, year with the number of editions), as in data that people made.
- logs: one table of 104 columns, a row a request: texts of few and of many values, NULLs, identifiers, URLs, times.
- scale: group-bys and joins at several cardinalities: 1,000,000 rows at scale 1.
- keys: two tables of keys of many forms (texts of few and of many values, seven columns of a customer, uuids, wide integers, with
  NULLs): 1,000,000 rows at scale 1 whose customers are 100,000, and these once each.
"""

import pathlib
import sys

import duckdb

SEED = 20251126

MACROS = f"""
-- Uniform in [0, 1), below n, and skewed below n: the square sends half of the rows to a quarter of the values, which lie anywhere.
CREATE MACRO u(i, k) AS (hash(i, k, {SEED}) % 1000000007) / 1000000007.0;
CREATE MACRO pick(i, k, n) AS CAST(floor(u(i, k) * n) AS BIGINT);
CREATE MACRO skewed(i, k, n) AS (CAST(floor(n * pow(u(i, k), 2)) AS BIGINT) * 7919 + 17) % n;
CREATE MACRO often(i, k, share) AS u(i, k) < share;
CREATE MACRO one_of(i, k, words) AS words[1 + pick(i, k, len(words))];
CREATE MACRO first_of(i, k, words) AS words[1 + CAST(floor(len(words) * pow(u(i, k), 3)) AS BIGINT)];
CREATE MACRO day(i, k, first, days) AS CAST(first AS DATE) + CAST(pick(i, k, days) AS INTEGER);
"""

SYLLABLES = "['ka','lo','mi','ren','sa','to','vi','bra','del','gor','hin','jun','ner','pol','quin','sil','tam','ur','wen','zo']"
WORDS = (
    "['river','night','stone','garden','winter','road','house','letter','island','mirror','silver','king','daughter','war',"
    "'summer','city','ghost','train','ocean','secret','fire','shadow','bridge','song','paper','wolf','crown','harbour']"
)
COUNTRIES = "['us','gb','fr','de','in','jp','it','es','ca','kr','br','se','dk','pl','nl','mx','ar','au','cn','ru','at','be','fi','no','pt']"


def name(i, k):
    parts = " || ".join(f"one_of({i}, {k + n}, {SYLLABLES})" for n in range(3))
    return f"upper(left({parts}, 1)) || substr({parts}, 2)"


def title(i, k):
    return f"'The ' || one_of({i}, {k}, {WORDS}) || ' of the ' || first_of({i}, {k + 1}, {WORDS})"


class Table:
    """rows: how many at scale 1, or a text of which is made a fixed number; columns: (name, PostgreSQL's type, expression over i)."""

    def __init__(self, name, rows, *columns):
        self.name, self.rows, self.columns = name, rows, columns


def small(name, words):
    """A table of a few names, whatever the scale."""
    count = words.count("','") + 1
    return Table(name, str(count), ("id", "INTEGER NOT NULL", "i"), ("name", "VARCHAR(40) NOT NULL", f"({words})[1 + i]"))


def joins(n):
    """n(rows): a table's rows at this scale."""
    work, person, keyword, company, member = n(200_000), n(300_000), n(20_000), n(30_000), n(50_000)
    year = f"2025 - CAST(floor(120 * pow(u(i, 3), 2)) AS INTEGER)"
    country = lambda k: f"CAST(floor(25 * pow(u(i, {k}), 3)) AS INTEGER)"
    # Nine of ten works are in their country's own language: a join by both is not the product of two shares.
    language = lambda c: f"CASE WHEN often(i, 6, 0.9) THEN ({c}) % 12 ELSE pick(i, 7, 12) END"
    return [
        small("kind", "['feature','short','series','episode','documentary','stage','radio']"),
        small("genre", "['drama','comedy','thriller','horror','romance','history','fantasy','crime','family','music']"),
        small("language", "['english','french','german','hindi','japanese','italian','spanish','korean','portuguese','swedish','danish','polish']"),
        small("role", "['actor','actress','director','writer','producer','composer','camera','editor','costume','guest','self']"),
        small("company_kind", "['production','distribution','effects','music']"),
        small("info_kind", "[" + ",".join(f"'{w}'" for w in "budget colour sound place opening quote trivia goof taglines runtime release certificate".split()) + "]"),
        small("link_kind", "['follows','followed by','remake of','version of','spoofs','references','features']"),
        small("award_kind", "['picture','direction','acting','writing','music','camera']"),
        Table(
            "country", "25",
            ("id", "INTEGER NOT NULL", "i"), ("code", "CHAR(2) NOT NULL", f"({COUNTRIES})[1 + i]"),
            ("continent", "VARCHAR(10)", "(['america','europe','europe','europe','asia','asia','europe','europe','america','asia'])[1 + i % 10]"),
        ),
        Table(
            "work", work,
            ("id", "INTEGER NOT NULL", "i"), ("title", "VARCHAR(80) NOT NULL", title("i", 1)), ("year", "INTEGER", f"CASE WHEN often(i, 4, 0.97) THEN {year} END"),
            ("kind_id", "INTEGER NOT NULL", "CAST(floor(7 * pow(u(i, 9), 2)) AS INTEGER)"),
            ("genre_id", "INTEGER", "CASE WHEN often(i, 10, 0.8) THEN (CAST(floor(7 * pow(u(i, 9), 2)) AS INTEGER) * 3 + pick(i, 11, 3)) % 10 END"),
            ("country_id", "INTEGER NOT NULL", country(5)), ("language_id", "INTEGER NOT NULL", language(country(5))),
            ("minutes", "INTEGER", "CASE WHEN often(i, 12, 0.9) THEN CASE WHEN u(i, 9) > 0.4 THEN 20 + pick(i, 13, 40) ELSE 70 + pick(i, 13, 110) END END"),
        ),
        Table(
            "person", person,
            ("id", "INTEGER NOT NULL", "i"), ("name", "VARCHAR(40) NOT NULL", f"{name('i', 20)} || ', ' || {name('i', 23)}"),
            ("gender", "CHAR(1)", "CASE WHEN often(i, 26, 0.35) THEN 'f' WHEN often(i, 27, 0.7) THEN 'm' END"),
            ("born", "DATE", "CASE WHEN often(i, 28, 0.6) THEN day(i, 29, '1890-01-01', 41000) END"), ("country_id", "INTEGER", f"CASE WHEN often(i, 30, 0.7) THEN {country(31)} END"),
        ),
        Table("alias", n(60_000), ("id", "INTEGER NOT NULL", "i"), ("person_id", "INTEGER NOT NULL", f"skewed(i, 35, {person})"), ("name", "VARCHAR(40) NOT NULL", name("i", 36))),
        Table(
            "credit", n(2_000_000),
            ("id", "INTEGER NOT NULL", "i"), ("work_id", "INTEGER NOT NULL", f"skewed(i, 40, {work})"), ("person_id", "INTEGER NOT NULL", f"skewed(i, 41, {person})"),
            ("role_id", "INTEGER NOT NULL", "CAST(floor(11 * pow(u(i, 42), 2)) AS INTEGER)"), ("position", "INTEGER", "CASE WHEN often(i, 43, 0.5) THEN 1 + pick(i, 44, 60) END"),
            ("note", "VARCHAR(30)", "CASE WHEN often(i, 45, 0.3) THEN one_of(i, 46, ['(voice)','(uncredited)','(as himself)','(archive footage)','(co-producer)']) END"),
        ),
        Table("keyword", keyword, ("id", "INTEGER NOT NULL", "i"), ("word", "VARCHAR(40) NOT NULL", f"one_of(i, 50, {WORDS}) || '-' || one_of(i, 51, {SYLLABLES}) || i")),
        Table("work_keyword", n(800_000), ("work_id", "INTEGER NOT NULL", f"skewed(i, 55, {work})"), ("keyword_id", "INTEGER NOT NULL", f"skewed(i, 56, {keyword})")),
        Table("company", company, ("id", "INTEGER NOT NULL", "i"), ("name", "VARCHAR(60) NOT NULL", f"{name('i', 60)} || one_of(i, 63, [' Film',' Pictures',' Studios',' TV',' & Sons'])"), ("country_id", "INTEGER", f"CASE WHEN often(i, 64, 0.9) THEN {country(65)} END")),
        Table(
            "work_company", n(500_000),
            ("work_id", "INTEGER NOT NULL", f"skewed(i, 70, {work})"), ("company_id", "INTEGER NOT NULL", f"skewed(i, 71, {company})"), ("kind_id", "INTEGER NOT NULL", "CAST(floor(4 * pow(u(i, 72), 2)) AS INTEGER)"),
            ("note", "VARCHAR(40)", "CASE WHEN often(i, 73, 0.5) THEN '(' || (1950 + pick(i, 74, 75)) || ') (' || one_of(i, 75, ['worldwide','theatrical','VHS','DVD','TV']) || ')' END"),
        ),
        Table(
            "info", n(1_500_000),
            ("work_id", "INTEGER NOT NULL", f"skewed(i, 80, {work})"), ("kind_id", "INTEGER NOT NULL", "CAST(floor(12 * pow(u(i, 81), 2)) AS INTEGER)"),
            ("value", "VARCHAR(60)", f"CASE WHEN often(i, 82, 0.98) THEN one_of(i, 83, {WORDS}) || ' ' || CAST(floor(12 * pow(u(i, 81), 2)) AS INTEGER) || ' ' || pick(i, 84, 5000) END"),
        ),
        Table("rating", n(100_000), ("work_id", "INTEGER NOT NULL", "i"), ("votes", "INTEGER NOT NULL", "5 + CAST(floor(500000 * pow(u(i, 90), 9)) AS INTEGER)"), ("score", "DECIMAL(3,1) NOT NULL", "CAST(1 + 9 * pow(u(i, 91), 0.6) AS DECIMAL(3,1))")),
        Table("edition", n(400_000), ("work_id", "INTEGER NOT NULL", f"skewed(i, 95, {work})"), ("country_id", "INTEGER NOT NULL", country(96)), ("released", "DATE", "CASE WHEN often(i, 97, 0.95) THEN day(i, 98, '1930-01-01', 34800) END")),
        Table("link", n(50_000), ("work_id", "INTEGER NOT NULL", f"skewed(i, 100, {work})"), ("linked_id", "INTEGER NOT NULL", f"skewed(i, 101, {work})"), ("kind_id", "INTEGER NOT NULL", "CAST(floor(7 * pow(u(i, 102), 2)) AS INTEGER)")),
        Table("award", n(40_000), ("work_id", "INTEGER NOT NULL", f"skewed(i, 105, {work})"), ("person_id", "INTEGER", f"CASE WHEN often(i, 106, 0.6) THEN skewed(i, 107, {person}) END"), ("kind_id", "INTEGER NOT NULL", "pick(i, 108, 6)"), ("year", "INTEGER NOT NULL", "1930 + pick(i, 109, 95)"), ("won", "BOOLEAN NOT NULL", "often(i, 110, 0.2)")),
        Table("member", member, ("id", "INTEGER NOT NULL", "i"), ("country_id", "INTEGER NOT NULL", country(115)), ("joined", "TIMESTAMP NOT NULL", "TIMESTAMP '2010-01-01' + to_seconds(pick(i, 116, 470000000))"), ("plan", "VARCHAR(10)", "first_of(i, 117, ['free','basic','gold','press'])")),
        Table("review", n(1_200_000), ("work_id", "INTEGER NOT NULL", f"skewed(i, 120, {work})"), ("member_id", "INTEGER NOT NULL", f"skewed(i, 121, {member})"), ("stars", "INTEGER NOT NULL", "1 + CAST(floor(5 * pow(u(i, 122), 0.5)) AS INTEGER)"), ("written", "DATE NOT NULL", "day(i, 123, '2011-01-01', 5300)")),
    ]


def logs(n):
    rows, users, pages = n(1_000_000), n(180_000), n(90_000)
    host = "first_of({0}, {1}, ['shop.example','news.example','mail.example','maps.example','video.example','forum.example','weather.example'])"
    page = f"skewed(i, 12, {pages})"
    columns = [
        ("request_id", "BIGINT NOT NULL", "CAST(hash(i, 1) % 9000000000000000000 AS BIGINT)"),
        ("seen", "TIMESTAMP NOT NULL", "TIMESTAMP '2025-07-01' + to_microseconds(CAST(i * (2678400000000.0 / {0}) AS BIGINT))".format(rows)),
        ("day", "DATE NOT NULL", "CAST(TIMESTAMP '2025-07-01' + to_microseconds(CAST(i * (2678400000000.0 / {0}) AS BIGINT)) AS DATE)".format(rows)),
        ("user_id", "BIGINT NOT NULL", f"CAST(hash(skewed(i, 2, {users}), 3) % 9000000000000000000 AS BIGINT)"),
        ("session_id", "VARCHAR(32) NOT NULL", f"md5('s' || skewed(i, 2, {users}) || i // 2000)"),
        ("site_id", "INTEGER NOT NULL", "skewed(i, 4, 6000)"),
        ("host", "VARCHAR(40) NOT NULL", host.format(page, 11)),
        ("url", "VARCHAR(200) NOT NULL", f"'https://' || {host.format(page, 11)} || '/' || one_of({page}, 13, {WORDS}) || '/' || one_of({page}, 14, {WORDS}) || '?id=' || {page}"),
        ("title", "VARCHAR(120)", f"CASE WHEN often({page}, 15, 0.9) THEN {title(page, 16)} || ' ' || {page} % 977 END"),
        ("referrer", "VARCHAR(200)", f"CASE WHEN often(i, 18, 0.45) THEN 'https://' || first_of(i, 19, ['search.example','social.example','www.news.example','ads.example','wiki.example']) || '/' || one_of(i, 20, {WORDS}) || '/' || skewed(i, 21, 4000) END"),
        ("search_phrase", "VARCHAR(80)", f"CASE WHEN often(i, 22, 0.13) THEN one_of(skewed(i, 23, 9000), 24, {WORDS}) || ' ' || one_of(skewed(i, 23, 9000), 25, {WORDS}) || ' ' || skewed(i, 23, 9000) END"),
        ("agent", "VARCHAR(120)", "CASE WHEN often(i, 26, 0.98) THEN 'Mozilla/5.0 (' || first_of(i, 27, ['Windows NT 10.0','X11; Linux','Macintosh','Android 15','iPhone']) || ') ' || first_of(i, 28, ['Chrome','Firefox','Safari','Edge']) || '/' || (90 + skewed(i, 29, 50)) END"),
        ("phone_model", "VARCHAR(20)", "CASE WHEN often(i, 30, 0.08) THEN first_of(i, 31, ['Alpha 9','Beta X','Gamma','Delta 5','Epsilon']) || ' ' || pick(i, 32, 40) END"),
        ("country", "CHAR(2)", f"CASE WHEN often(i, 33, 0.96) THEN first_of(i, 34, {COUNTRIES}) END"),
        ("region_id", "INTEGER NOT NULL", "skewed(i, 35, 5000)"),
        ("ip", "BIGINT NOT NULL", f"CAST(hash(skewed(i, 2, {users}), 36) % 4294967296 AS BIGINT)"),
        ("method", "VARCHAR(8) NOT NULL", "first_of(i, 37, ['GET','POST','HEAD','PUT'])"),
        ("status", "INTEGER NOT NULL", "first_of(i, 38, [200,304,404,301,500,503])"),
        ("bytes", "BIGINT NOT NULL", "CAST(floor(3000000 * pow(u(i, 39), 6)) AS BIGINT)"),
        ("millis", "DOUBLE PRECISION", "CASE WHEN often(i, 40, 0.99) THEN round(4000 * pow(u(i, 41), 4), 3) END"),
        ("price", "DECIMAL(12,2)", "CASE WHEN often(i, 42, 0.02) THEN CAST(1 + 900 * u(i, 43) AS DECIMAL(12,2)) END"),
        ("is_mobile", "BOOLEAN NOT NULL", "often(i, 44, 0.3)"),
        ("is_bot", "BOOLEAN NOT NULL", "often(i, 45, 0.05)"),
        ("width", "INTEGER NOT NULL", "first_of(i, 46, [1920,1366,1536,390,412,2560,0,1280])"),
        ("ad_engine", "INTEGER NOT NULL", "CASE WHEN often(i, 47, 0.1) THEN 1 + pick(i, 48, 60) ELSE 0 END"),
        ("campaign", "VARCHAR(40)", "CASE WHEN often(i, 49, 0.06) THEN 'campaign-' || skewed(i, 50, 300) END"),
    ]
    # The rest, as such tables have it: flags, hashes, counters that few queries ask for.
    for number in range(39):
        columns.append((f"flag_{number:02}", "SMALLINT NOT NULL", f"CASE WHEN often(i, {100 + number}, {0.02 * (number % 20 + 1):.2f}) THEN 1 ELSE 0 END"))
    for number in range(20):
        columns.append((f"counter_{number:02}", "INTEGER NOT NULL", f"skewed(i, {200 + number}, {10 ** (number % 5 + 1)})"))
    for number in range(12):
        columns.append((f"param_{number:02}", "VARCHAR(40)", f"CASE WHEN often(i, {300 + number}, {0.05 * (number + 1):.2f}) THEN 'p' || skewed(i, {320 + number}, {4 ** (number % 6 + 1)}) END"))
    for number in range(7):
        columns.append((f"hash_{number:02}", "BIGINT NOT NULL", f"CAST(hash(i, {400 + number}) % 9000000000000000000 AS BIGINT)"))
    return [Table("log", rows, *columns)]


def scale(n):
    rows = n(1_000_000)
    big, medium = max(1, rows // 10), max(1, rows // 1000)
    dimension = lambda name, count: Table(
        name, count, ("id", "INTEGER NOT NULL", "i"), ("code", "VARCHAR(20) NOT NULL", "'code' || lpad(CAST(i AS VARCHAR), 9, '0')"), ("weight", "DECIMAL(9,3) NOT NULL", "CAST(100 * u(i, 5) AS DECIMAL(9,3))"), ("half", "BOOLEAN NOT NULL", "i % 2 = 0")
    )
    return [
        Table(
            "fact", rows,
            ("id", "BIGINT NOT NULL", "i"),
            ("t_few", "VARCHAR(12) NOT NULL", "'id' || lpad(CAST(pick(i, 1, 100) AS VARCHAR), 3, '0')"),
            ("t_some", "VARCHAR(12)", "CASE WHEN often(i, 20, 0.99) THEN 'id' || lpad(CAST(pick(i, 2, 10000) AS VARCHAR), 6, '0') END"),
            ("t_many", "VARCHAR(20) NOT NULL", f"'id' || lpad(CAST(pick(i, 3, {big}) AS VARCHAR), 10, '0')"),
            ("n_few", "INTEGER NOT NULL", "pick(i, 4, 100)"), ("n_some", "INTEGER", "CASE WHEN often(i, 21, 0.99) THEN pick(i, 5, 10000) END"), ("n_many", "INTEGER NOT NULL", f"pick(i, 6, {big})"),
            ("n_skewed", "INTEGER NOT NULL", f"skewed(i, 7, {big})"), ("n_wide", "BIGINT NOT NULL", f"CAST(hash(pick(i, 8, {big})) % 9000000000000000000 AS BIGINT)"),
            ("medium_id", "INTEGER NOT NULL", f"pick(i, 9, {medium * 11 // 10 + 1})"), ("big_id", "INTEGER NOT NULL", f"pick(i, 10, {big * 11 // 10})"),
            ("v1", "INTEGER NOT NULL", "1 + pick(i, 11, 5)"), ("v2", "INTEGER", "CASE WHEN often(i, 22, 0.98) THEN 1 + pick(i, 12, 15) END"), ("v3", "DECIMAL(12,6) NOT NULL", "CAST(100 * u(i, 13) AS DECIMAL(12,6))"), ("v4", "DOUBLE PRECISION NOT NULL", "round(100 * u(i, 14), 6)"),
            ("placed", "DATE NOT NULL", "day(i, 15, '2020-01-01', 1800)"),
        ),
        Table("other", rows, ("fact_id", "BIGINT NOT NULL", f"pick(i, 30, {rows * 11 // 10})"), ("n_many", "INTEGER NOT NULL", f"pick(i, 31, {big})"), ("t_many", "VARCHAR(20) NOT NULL", f"'id' || lpad(CAST(pick(i, 32, {big}) AS VARCHAR), 10, '0')"), ("amount", "DECIMAL(12,2) NOT NULL", "CAST(1000 * u(i, 33) AS DECIMAL(12,2))")),
        dimension("small", "10"),
        dimension("medium", medium),
        dimension("big", big),
    ]


def customer(i):
    return [
        ("c_id", "CHAR(16) NOT NULL", f"'AAAAAAAA' || lpad(CAST({i} AS VARCHAR), 8, '0')"),
        ("c_first", "VARCHAR(20)", f"CASE WHEN often({i}, 1, 0.97) THEN {name(i, 2)} END"),
        ("c_last", "VARCHAR(30)", f"CASE WHEN often({i}, 5, 0.97) THEN {name(i, 6)} || {i} % 487 END"),
        ("c_preferred", "CHAR(1)", f"one_of({i}, 9, ['Y', 'N'])"),
        ("c_country", "VARCHAR(20)", f"CASE WHEN often({i}, 10, 0.97) THEN 'COUNTRY ' || pick({i}, 11, 211) END"),
        ("c_login", "VARCHAR(13)", f"CASE WHEN often({i}, 12, 0.3) THEN 'login' || {i} END"),
        ("c_mail", "VARCHAR(50)", f"{i} || '.' || {name(i, 13)} || '@example.com'"),
    ]


def keys(n):
    rows, customers = n(1_000_000), n(100_000)
    return [
        Table(
            "entry",
            rows,
            ("id", "BIGINT NOT NULL", "i"),
            ("value", "INTEGER NOT NULL", "pick(i, 30, 1000)"),
            ("text_unique", "VARCHAR(20) NOT NULL", "'text-' || hash(i, 31) % 10000000000000"),
            ("text_10k", "VARCHAR(20) NOT NULL", "'text-' || hash(pick(i, 32, 10000), 33) % 10000000000000"),
            ("text_null", "VARCHAR(20)", "CASE WHEN often(i, 34, 0.9) THEN 'text-' || hash(pick(i, 35, 10000), 33) % 10000000000000 END"),
            ("wide_10k", "BIGINT NOT NULL", "CAST(hash(pick(i, 36, 10000), 37) % 9000000000000000000 AS BIGINT)"),
            ("wide_500k", "BIGINT NOT NULL", "CAST(hash(pick(i, 38, 500000), 37) % 9000000000000000000 AS BIGINT)"),
            ("wide_null", "BIGINT", "CASE WHEN often(i, 39, 0.9) THEN CAST(hash(pick(i, 40, 10000), 37) % 9000000000000000000 AS BIGINT) END"),
            ("wide_few", "BIGINT NOT NULL", "CAST(hash(pick(i, 41, 7), 37) % 9000000000000000000 AS BIGINT)"),
            ("uuid_10k", "UUID NOT NULL", "CAST(md5('u' || pick(i, 42, 10000)) AS UUID)"),
            *customer(f"pick(i, 43, {customers})"),
        ),
        Table("customer", customers, ("id", "BIGINT NOT NULL", "i"), *customer("i")),
    ]


SUITES = {"joins": joins, "logs": logs, "scale": scale, "keys": keys}

# For a PostgreSQL that is to answer: it runs correlated sub-queries once a row.
INDEXES = {"scale": "CREATE INDEX ON fact (n_many);\n"}


def main():
    suite, factor, folder = sys.argv[1], float(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect()
    connection.execute(MACROS)
    statements = []
    for table in SUITES[suite](lambda rows: max(1, int(rows * factor))):
        columns = ", ".join(f'{value} AS "{column}"' for column, _, value in table.columns)
        connection.execute(f"COPY (SELECT {columns} FROM range({int(table.rows)}) AS r(i)) TO '{folder / table.name}.csv' (FORMAT csv, HEADER false)")
        lines = [f"    {column} {kind}" for column, kind, _ in table.columns]
        statements.append(f"CREATE TABLE {table.name} (\n" + ",\n".join(lines) + ");\n")
    (folder / "schema.sql").write_text("\n".join(statements), encoding="utf-8")
    if suite in INDEXES:
        (folder / "indexes.sql").write_text(INDEXES[suite], encoding="utf-8")
    connection.close()


main()
