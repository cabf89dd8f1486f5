// node-postgres: port, user and database; prints what it got.
const pg = require('pg');
const Cursor = require('pg-cursor');
const QueryStream = require('pg-query-stream');
const { to } = require('pg-copy-streams');

const config = { host: '127.0.0.1', port: Number(process.argv[2]), user: process.argv[3], database: process.argv[4] };
let failed = false;

async function check(name, action) {
  try {
    console.log('ok  ', name, JSON.stringify(await action()));
  } catch (error) {
    failed = true;
    console.log('FAIL', name, error.code, error.message);
  }
}

(async () => {
  const client = new pg.Client(config);
  await client.connect();
  await check('simple', async () => (await client.query('select 1 as a, 2::int8 b, now() is not null c')).rows);
  await check('parameters', async () => (await client.query(
    'select $1::int + 1 as a, $2::text t, $3::jsonb j, $4::int[] arr, $5::date d, $6::numeric n',
    [41, 'x', { a: 1 }, [1, 2], new Date('2024-02-29'), '1.50'])).rows);
  await check('types', async () => (await client.query('select * from types order by id limit 50')).rows);
  await check('fields', async () => (await client.query('select relname, oid from pg_class limit 1')).fields
    .map(field => [field.name, field.tableID, field.columnID, field.dataTypeID]));
  await check('named', async () => {
    let last;
    for (let value = 0; value < 3; value++) {
      last = await client.query({ name: 'n1', text: 'select $1::int a', values: [value] });
    }
    return last.rows;
  });
  await check('several', async () => (await client.query('select 1; select 2')).map(result => result.rows));
  await check('arrays', async () => (await client.query({ text: 'select 1, 2', rowMode: 'array' })).rows);
  await check('cursor', async () => {
    const cursor = client.query(new Cursor('select g from generate_series(1, 1000) g'));
    let count = 0;
    for (let rows = await cursor.read(100); rows.length > 0; rows = await cursor.read(100)) {
      count += rows.length;
    }
    await cursor.close();
    return count;
  });
  await check('stream', async () => {
    let count = 0;
    for await (const _ of client.query(new QueryStream('select g from generate_series(1, 1000) g'))) {
      count++;
    }
    return count;
  });
  await check('copy', async () => {
    let bytes = 0;
    for await (const part of client.query(to('COPY words TO STDOUT'))) {
      bytes += part.length;
    }
    return bytes;
  });
  await check('error', async () => {
    try {
      await client.query('select 1/0');
      return 'none';
    } catch (error) {
      return [error.code, error.message];
    }
  });
  await check('transaction', async () => {
    await client.query('begin');
    const rows = (await client.query('select 1')).rows;
    await client.query('commit');
    return rows;
  });
  const pool = new pg.Pool({ ...config, max: 5 });
  await check('pool', async () => (await Promise.all([...Array(20).keys()]
    .map(value => pool.query('select $1::int x', [value])))).map(result => result.rows[0].x));
  await pool.end();
  await client.end();
  process.exit(failed ? 1 : 0);
})();
