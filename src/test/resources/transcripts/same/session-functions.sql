\set VERBOSITY terse
select pg_try_advisory_lock(7), pg_try_advisory_lock(7);
select pg_try_advisory_lock(n) from generate_series(1, 3) n;
select count(*) from pg_locks where locktype = 'advisory';
select pg_advisory_unlock_all();
select count(*) from pg_locks where locktype = 'advisory';
select set_config('a.b', 'x', false), set_config('a.b', 'y', false), current_setting('a.b', true);
select case when false then pg_try_advisory_lock(99) end;
select count(*) from pg_locks where locktype = 'advisory' and objid = 99;
select count(*) > 0 from generate_series(1, 1000) where random() < 0.5;

-- of a lock that is not held; the statement's own time
SELECT pg_advisory_unlock(77);
SELECT pg_advisory_unlock_shared(77);
BEGIN;
SELECT pg_sleep(0.01);
SELECT statement_timestamp() > now() AS later, statement_timestamp() <= clock_timestamp() AS past;
COMMIT;
SET idle_session_timeout = '2s';
SHOW idle_session_timeout;
RESET idle_session_timeout;
