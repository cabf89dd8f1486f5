\set VERBOSITY verbose
-- Rows of a query are a table; its types are the query's.
create table t as select g as id, 'x' || (g % 7) as tag, g * 1.5 as n, date '2020-01-01' + g::int as d, interval '1 day' * g as iv from generate_series(1, 10000) g;
select count(*), sum(id), count(distinct tag), sum(n), max(d), max(iv) from t;
select * from t order by id limit 3;
create table t as select 1;
create table if not exists t as select 1;
select 5 as a, array[1,2,3] as b, '{"a":1}'::jsonb as c, '\x00ff'::bytea as by, 1.50::numeric(10,3) nn, null as nothing, '10.0.0.1'::inet as ip, 'x'::char(5) as ch, '00000000-0000-4000-8000-000000000001'::uuid as id, 'b'::varchar(3) v, time '10:00' as tm, timestamptz '2020-01-01 00:00+00' as tz, 1::smallint as s, 1::real as r, true as bo, '{"a": 1}'::json as j, int4range(1, 5) as ra, 3.14 as nu, 10/3.0 as q into u;
select * from u;
\d u
create table e as select * from t where false;
select count(*) from e;
create table nod (x, y) as table t with no data;
select * from nod;
create table v2 as values (1,'a'),(2,null);
select * from v2;
create table w (a int not null, b text, c numeric(10,2), d timestamptz, e varchar(3), f int[], g double precision, "H h" timestamp(3) with time zone, j json, k char(2), l bigint, m decimal, n time(2));
\d w
select * from w;
-- What is wrong is said.
create table d (a int, a int);
create table d (a int, b int) as select 1;
create table d (a, b) as select 1;
create table d as select 1 as a, 2 as a;
create table nosuch.d as select 1;
create table d as select row(1,2);
create table d as select 1/0;
create table d as select 1 / (id - 9999) from t;
select * from d;
drop table d;
drop table if exists d, e;
drop table t, d;
select count(*) from t;
drop view t;
-- The next statement sees what the last one did.
create table again as select 1 as a; select * from again; drop table again; select * from again;
explain (costs off, summary off) create table zz as select 1 as a from zzz;
prepare q as select count(*) from t;
execute q;
drop table t;
execute q;
create table t as select 1 as id;
execute q;
drop table t, u, w, v2, nod;
