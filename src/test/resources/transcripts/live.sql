select name, setting from pg_settings where name in ('TimeZone', 'block_size', 'application_name') order by 1;
set a.b = 'x'; select current_setting('a.b'), current_setting('c.d', true);
select set_config('application_name','me',false), pg_backend_pid() > 0, inet_client_addr(), inet_server_port() > 0;
begin; declare c scroll cursor with hold for select 1; prepare p (int, text) as select $1, $2;
select name, statement, is_holdable, is_scrollable from pg_cursors;
select name, statement, parameter_types, result_types, from_sql from pg_prepared_statements;
select usename, application_name, client_addr, state, query from pg_stat_activity where pid = pg_backend_pid();
commit;
select pg_advisory_lock(1), pg_try_advisory_lock(2,3);
select pg_advisory_unlock(1); select pg_advisory_unlock(1);
select locktype, classid, objid, objsubid, mode from pg_locks;
select pg_advisory_unlock_all();
select count(*) from pg_locks;
select pg_sleep(0.1);
set statement_timeout = 200; select pg_sleep(5); reset statement_timeout;
select pg_cancel_backend(999999);
\dC bigint
\do @
