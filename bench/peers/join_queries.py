"""Writes bench/suites/joins: queries of 3 to 17 tables over what generate.py makes, from a seed.

    join_queries.py SOURCE FOLDER

SOURCE is the folder that `generate.py joins 0.01` filled. A query is a connected piece of the graph of foreign keys: chains,
stars, snowflakes, tables taken more than once, and cycles where two of its tables share a key that no edge of the tree says.
Filters are put on two of five of its tables, texts, ranges, ORs and NULLs, of values that the data has. What gives no row at
scale 0.01, or more than 20,000 before they are aggregated (or fills 500 MB), is drawn again, so the texts hang on the seed and on the pinned generator alone.
"""

import pathlib
import random
import sys

import duckdb

SEED = 1126
PER_SIZE = 4
MOST_ROWS = 20_000
MOST_CHILDREN = 4

# (table, column, referenced table)
REFERENCES = [
    ("work", "kind_id", "kind"), ("work", "genre_id", "genre"), ("work", "country_id", "country"), ("work", "language_id", "language"),
    ("person", "country_id", "country"), ("alias", "person_id", "person"),
    ("credit", "work_id", "work"), ("credit", "person_id", "person"), ("credit", "role_id", "role"),
    ("work_keyword", "work_id", "work"), ("work_keyword", "keyword_id", "keyword"),
    ("company", "country_id", "country"), ("work_company", "work_id", "work"), ("work_company", "company_id", "company"), ("work_company", "kind_id", "company_kind"),
    ("info", "work_id", "work"), ("info", "kind_id", "info_kind"), ("rating", "work_id", "work"),
    ("edition", "work_id", "work"), ("edition", "country_id", "country"),
    ("link", "work_id", "work"), ("link", "linked_id", "work"), ("link", "kind_id", "link_kind"),
    ("award", "work_id", "work"), ("award", "person_id", "person"), ("award", "kind_id", "award_kind"),
    ("review", "work_id", "work"), ("review", "member_id", "member"), ("member", "country_id", "country"),
]

# table: filters; {name} is a value of the data.
FILTERS = {
    "kind": ["name = {name}", "name IN ({name}, {name})", "name <> {name}"],
    "genre": ["name = {name}", "name IN ({name}, {name}, {name})"],
    "language": ["name = {name}", "name LIKE '%n%'"],
    "country": ["code = {code}", "code IN ({code}, {code}, {code})", "continent = {continent}"],
    "role": ["name = {name}", "name IN ({name}, {name})"],
    "company_kind": ["name = {name}"],
    "info_kind": ["name = {name}", "name IN ({name}, {name}, {name})"],
    "link_kind": ["name LIKE '%of%'", "name = {name}"],
    "award_kind": ["name = {name}", "name IN ({name}, {name})"],
    "work": ["year > {year}", "year BETWEEN 1990 AND 2010", "title LIKE '%river%'", "minutes < {minutes}", "year IS NULL", "(title LIKE 'The s%' OR minutes > 100)"],
    "person": ["name LIKE 'S%'", "gender = 'f'", "born > {born}", "born IS NULL", "(gender = 'm' AND name LIKE '%an%' OR gender = 'f')"],
    "alias": ["name LIKE '%a%'"],
    "credit": ["note = {note}", "position < {position}", "note IS NOT NULL", "note IN ({note}, {note})"],
    "keyword": ["word LIKE 'ri%'", "word LIKE '%war%'", "word IN ({word}, {word}, {word})"],
    "company": ["name LIKE '%Film%'", "name LIKE 'K%'"],
    "work_company": ["note LIKE '%(DVD)%'", "note IS NULL", "note LIKE '%(20%'"],
    "info": ["value LIKE 'river%'", "value = {value}", "value > 'm'"],
    "rating": ["score > {score}", "votes > 1000", "score BETWEEN 5 AND 7"],
    "edition": ["released > {released}", "released BETWEEN '1990-01-01' AND '2005-12-31'"],
    "award": ["won", "year > 1990", "NOT won AND year < 2000"],
    "member": ["plan = {plan}", "joined >= '2020-01-01'"],
    "review": ["stars = {stars}", "stars IN (1, 5)", "written >= '2022-06-01'"],
}

SHOWN = {
    "work": ["title", "year"], "person": ["name", "born"], "company": ["name"], "keyword": ["word"], "info": ["value"], "rating": ["score", "votes"],
    "review": ["written", "stars"], "award": ["year"], "edition": ["released"], "credit": ["note"], "alias": ["name"], "member": ["joined"], "work_company": ["note"],
}


class Drawn:
    """One query: aliases of tables, edges and filters."""

    def __init__(self, random_, size, value):
        self.random, self.value = random_, value
        self.tables, self.conditions, self.keys, self.children = [], [], [], 0
        self.add(random_.choice(["work", "work", "work", "person", "credit", "review", "company"]))
        while len(self.tables) < size:
            self.grow()
        if random_.random() < 0.5:
            self.close_cycle()
        for number in random_.sample(range(size), max(2, size * 2 // 5)):
            table = self.tables[number]
            if table in FILTERS:
                self.conditions.append(self.filter(number, random_.choice(FILTERS[table])))

    def add(self, table):
        self.tables.append(table)
        return len(self.tables) - 1

    def alias(self, number):
        return f"{self.tables[number][0]}{number}"

    def grow(self):
        at = self.random.randrange(len(self.tables))
        table = self.tables[at]
        edges = [(c, t, True) for s, c, t in REFERENCES if s == table] + [(c, s, False) for s, c, t in REFERENCES if t == table]
        column, other, is_from = self.random.choice(edges)
        # Few join the same key twice: the product of a work's credits with themselves is nobody's question.
        if self.tables.count(other) > (1 if len(self.tables) > 8 else 0) or is_from and (at, column) in self.keys:
            if self.random.random() < 0.9:
                return
        if not is_from:
            # Each multiplies the rows.
            if self.children == MOST_CHILDREN:
                return
            self.children += 1
        new = self.add(other)
        if is_from:
            self.keys.append((at, column))
            self.conditions.append(f"{self.alias(at)}.{column} = {self.alias(new)}.id")
        else:
            self.keys.append((new, column))
            self.conditions.append(f"{self.alias(new)}.{column} = {self.alias(at)}.id")

    def close_cycle(self):
        """Two tables that refer to one: their keys are equal by that one, and here they are said to be."""
        pairs = [
            (a, b, c) for i, (a, c) in enumerate(self.keys) for b, d in self.keys[i + 1 :]
            if c == d and a != b and c in ("work_id", "person_id", "country_id")
        ]
        if pairs:
            a, b, column = self.random.choice(pairs)
            self.conditions.append(f"{self.alias(a)}.{column} = {self.alias(b)}.{column}")

    def filter(self, number, text):
        table = self.tables[number]
        while "{" in text:
            column = text[text.index("{") + 1 : text.index("}")]
            text = text.replace("{" + column + "}", self.value(self.random, table, column), 1)
        words = text.split(" ")
        columns = {"name", "code", "continent", "year", "title", "minutes", "gender", "born", "note", "position", "word", "value", "score", "votes", "released", "won", "plan", "joined", "stars", "written"}
        return " ".join(
            word.replace(word.lstrip("("), f"{self.alias(number)}.{word.lstrip('(')}") if word.lstrip("(") in columns else word for word in words
        )

    def text(self):
        shown = [(n, c) for n, t in enumerate(self.tables) for c in SHOWN.get(t, [])]
        self.random.shuffle(shown)
        selected = ["count(*)"] + [f"{self.random.choice(['min', 'max'])}({self.alias(n)}.{c})" for n, c in sorted(shown[:3])]
        order = list(range(len(self.tables)))
        self.random.shuffle(order)
        return (
            f"SELECT {', '.join(selected)}\nFROM " + ", ".join(f"{self.tables[n]} AS {self.alias(n)}" for n in order)
            + "\nWHERE " + "\n  AND ".join(self.conditions) + "\n"
        )


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    connection = duckdb.connect(config={"threads": 1, "memory_limit": "500MB", "max_temp_directory_size": "0KB", "preserve_insertion_order": False})
    connection.execute((source / "schema.sql").read_text(encoding="utf-8"))
    for file in sorted(source.glob("*.csv")):
        connection.execute(f"COPY {file.stem} FROM '{file}' (FORMAT csv, HEADER false)")

    def value(random_, table, column):
        (count,) = connection.execute(f"SELECT count({column}) FROM {table}").fetchone()
        (found,) = connection.execute(
            f"SELECT CAST({column} AS VARCHAR) FROM {table} WHERE {column} IS NOT NULL ORDER BY rowid LIMIT 1 OFFSET {random_.randrange(count)}"
        ).fetchone()
        return "'" + found.replace("'", "''") + "'" if column not in ("year", "minutes", "position", "score", "stars") else found

    folder.mkdir(parents=True, exist_ok=True)
    for size in range(3, 18):
        made = attempt = 0
        while made < PER_SIZE:
            attempt += 1
            drawn = Drawn(random.Random(f"{SEED} {size} {attempt}"), size, value)
            text = drawn.text()
            estimate = text.replace(text[7 : text.index("\n")], "1", 1)
            try:
                rows = connection.execute(f"SELECT count(*) FROM ({estimate} LIMIT {MOST_ROWS + 1})").fetchone()[0]
            except duckdb.OutOfMemoryException:
                continue
            if 0 < rows <= MOST_ROWS:
                made += 1
                (folder / f"{size:02}-{'abcdefgh'[made - 1]}.sql").write_text(text, encoding="utf-8")
        print(f"{size} tables: {made} of {attempt} drawn", file=sys.stderr)


main()
