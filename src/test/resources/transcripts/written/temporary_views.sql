-- Views that are the session's own.
create table kept (i int, t text);
insert into kept values (1, 'a'), (2, 'b'), (3, null);
create temp view tv as select i, upper(t) as t from kept where i < 3;
select * from tv order by i;
create temp view tv as select 1;
create or replace temporary view tv as select i, upper(t) as t, i * 2 as twice from kept;
select * from pg_temp.tv order by i;
select table_name, table_type from information_schema.tables where table_name = 'tv';
select relkind from pg_class where relname = 'tv';
create temp view public.elsewhere as select 1;
-- one of the same name hides a table, and goes
create temp view kept as select 'hidden' as what;
select * from kept;
drop view kept;
select count(*) from kept;
-- views of temporary tables are temporary themselves
create temp table passing (k int);
insert into passing values (7), (8);
create view over_passing as select k + 1 as k from passing;
select * from over_passing order by k;
create or replace view over_passing as select k + 2 as k from passing;
select sum(k) from over_passing;
create view over_both as select o.k, t.i from over_passing o, tv t where t.i = 1;
select * from over_both order by k;
drop table passing;
drop table passing cascade;
select * from over_both;
-- all of a transaction or nothing
begin;
create temp view undone as select 1 as one;
select * from undone;
rollback;
select * from undone;
begin;
create temp view done as select 2 as two;
commit;
select * from done;
drop view done, tv;
select * from tv;
create temp view last as select 3 as three;
discard temp;
select * from last;
drop table kept;
