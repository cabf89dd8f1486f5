\set VERBOSITY verbose
\set SHOW_CONTEXT never
select count(*), min(word) from pg_get_keywords();
select * from pg_catalog.pg_get_keywords() k where k.catcode = 'R' order by word limit 3;
select string_agg(word, ',') from pg_catalog.pg_get_keywords() where word <> ALL ('{a,abs,absolute,action,ada,add}'::text[]) and catcode = 'T';
select name from pg_show_all_settings() where name = 'TimeZone';
select obj_description('sin'::regproc, 'pg_proc'), format_type(600, -1), 'point'::regtype, 2276::regtype, 1017::regtype;
select aggfnoid, aggkind from pg_aggregate where aggfnoid = 'sum(int)'::regprocedure;
select rngtypid::regtype, rngsubtype::regtype from pg_range order by 1;
select has_function_privilege('sin(float8)', 'EXECUTE');
select count(*) > 500 as many, bool_and(utc_offset between interval '-13 h' and interval '15 h') from pg_timezone_names;
select 'sum'::regproc;
select to_regproc('sum'), to_regproc('now'), 2108::regproc, 0::regproc, 1604::regproc;
select relname, n_live_tup, n_dead_tup from pg_stat_user_tables where relname = 'nope';
select attname, null_frac > 0 as has_nulls from pg_stats where tablename = 'nope';
SELECT tableoid::regclass, relname FROM pg_class WHERE relname = 'pg_type';
SELECT c.tableoid = 'pg_class'::regclass AS yes FROM pg_class c WHERE relname = 'pg_type';
SELECT d.tableoid, t.typname, t.tableoid::regclass FROM pg_type t LEFT JOIN pg_namespace d ON d.oid = t.typlen WHERE t.typname = 'int4';
SELECT tableoid FROM pg_class, pg_type LIMIT 1;
SELECT (SELECT tableoid::regclass) FROM pg_am LIMIT 1;
SELECT tableoid FROM (VALUES (1)) t;
\df generate_series
\df concat
\sf sin
\sf sum(int)
\da+ sum
\dT point
\dT int*
\dd
\dD
\dc
\do+ %
