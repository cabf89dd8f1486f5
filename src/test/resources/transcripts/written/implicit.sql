\set VERBOSITY verbose
create table t (a int, b text);
-- a text of several statements is one transaction: all of it or nothing
insert into t values (1, 'one') \; insert into t values (2, 'two') \; select count(*) from t;
insert into t values (3, 'three') \; select 1 / 0 \; insert into t values (4, 'four');
select * from t order by a;
create table u (x int) \; insert into u values (1), (2) \; update u set x = x * 10 \; select * from u order by x \; select nothing;
select * from u;
-- BEGIN takes what came before into its block, COMMIT and ROLLBACK end it
insert into t values (5, 'five') \; begin \; insert into t values (6, 'six') \; rollback;
select * from t order by a;
insert into t values (7, 'seven') \; commit \; insert into t values (8, 'eight') \; rollback \; insert into t values (9, 'nine');
select * from t order by a;
insert into t values (10, 'ten') \; begin;
select count(*) from t;
rollback;
select count(*) from t;
begin \; insert into t values (11, 'eleven') \; select 1 / 0 \; commit;
select 1;
commit;
begin \; insert into t values (12, 'twelve') \; commit \; select 1 / 0;
select max(a) from t;
-- what needs a block has one
select 1 \; savepoint s;
select 1 \; commit and chain;
declare c cursor for select a from t order by a \; fetch 2 from c;
fetch 1 from c;
declare h cursor with hold for select a from t order by a \; insert into t values (13, 'thirteen');
fetch 1 from h;
close h;
lock table t in access share mode \; select 1;
lock table t in access share mode;
discard all \; select 1;
-- settings are a transaction's, too
set extra_float_digits = 0 \; select 1 / 0;
show extra_float_digits;
set extra_float_digits = 0 \; show extra_float_digits;
show extra_float_digits;
set local extra_float_digits = 2 \; show extra_float_digits;
show extra_float_digits;
-- read only by default, but for rows of temporary tables
create temporary table own (a int);
set default_transaction_read_only = on;
insert into t values (14, 'fourteen');
insert into own values (1), (2);
update own set a = a + 1;
copy own from stdin;
7
\.
delete from own where a = 2;
select * from own order by a;
create temporary table other (a int);
begin;
show transaction_read_only;
insert into t values (14, 'fourteen');
rollback;
begin read write;
insert into t values (14, 'fourteen');
commit;
set default_transaction_read_only = off \; insert into t values (15, 'fifteen');
set default_transaction_read_only = off;
insert into t values (16, 'sixteen');
begin read only;
insert into own values (3);
insert into t values (17, 'seventeen');
rollback;
-- rows that wait for a savepoint are there
begin;
insert into t values (20, 'twenty');
savepoint s;
select max(a) from t;
insert into t values (21, 'more');
savepoint s;
select max(a) from t;
rollback;
select max(a) from t;
drop table t;
