"""What pgcli asks for its completion: PostgreSQL's port, Quarrel's port."""
import sys

from pgcli.pgexecute import PGExecute


def facts(port, database, user):
    client = PGExecute(database, user, '', '127.0.0.1', str(port))
    return {
        'search path': client.search_path(),
        'public tables': sorted(table for schema, table in client.tables() if schema == 'public'),
        'columns': sorted((row[1], row[2], row[3]) for row in client.table_columns() if row[0] == 'public'),
        'functions': len(list(client.functions())) > 1500,
        'foreign keys': list(client.foreignkeys()),
        'database': database in client.databases(),
        'function': client.function_definition('sin'),
        'rows': [list(result[1]) for result in client.run('select 1 as a; select 2')],
    }


theirs = facts(sys.argv[1], 'postgres', 'postgres')
ours = facts(sys.argv[2], 'quarrel', 'analyst')
both = set(theirs['public tables']) & set(ours['public tables'])
assert both, (theirs, ours)
for all_facts in (theirs, ours):
    all_facts['public tables'] = sorted(both)
    all_facts['columns'] = [row for row in all_facts['columns'] if row[0] in both]
for name, value in theirs.items():
    assert value == ours[name], (name, value, ours[name])
    print('ok  ', name)
