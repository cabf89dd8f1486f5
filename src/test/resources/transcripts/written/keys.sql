create table k (id int primary key, a int, b text, c numeric(6,2), unique (a, b), constraint named unique (c));
insert into k values (1, 1, 'x', 1), (2, 1, 'y', 2);
insert into k values (1, 5, 'x', 5);
insert into k values (3, 1, 'x', 5);
insert into k values (3, 1, 'z', 2.004);
insert into k values (null, 1, 'z', 5);
insert into k values (4, null, 'x', null), (5, null, 'x', null);
insert into k values (6, 6, 'q', 6), (7, 7, 'q', 7), (6, 8, 'q', 8);
insert into k select g, g, 'g', g from generate_series(100, 110) g;
insert into k select g, g, 'h', g + 1000 from generate_series(110, 120) g;
\set VERBOSITY terse
copy k (id, a) from stdin;
200	200
201	201
200	202
\.
copy k (id, a) from stdin;
100	200
\.
\set VERBOSITY default
copy k (id, a) from stdin;
200	200
201	201
\.
update k set id = 1 where id = 2;
update k set id = 100 where id between 1 and 5;
update k set c = 7 where id in (1, 2);
update k set b = 'yy' where id = 2 returning *;
update k set id = 300 where id = 2;
insert into k values (2, 2, 'again', 2.5);
delete from k where id = 300;
insert into k values (300, 1, 'yy', 2);
merge into k using (values (1), (400)) v(i) on false when not matched then insert (id) values (v.i);
merge into k using (values (400)) v(i) on false when not matched then insert (id) values (v.i);
select id, a, b, c from k order by id;
begin;
insert into k (id) values (500);
insert into k (id) values (501);
insert into k (id) values (500);
rollback;
begin;
insert into k (id) values (500);
savepoint s;
insert into k (id) values (500);
rollback to s;
insert into k (id) values (501);
delete from k where id = 1;
insert into k (id) values (1);
insert into k (id) values (1);
rollback;
truncate k;
insert into k (id) values (1);
create table texts (t varchar(10) primary key, u uuid unique, d date, z timestamptz, f bool, unique (d, z), unique (f));
insert into texts values ('a', '00000000-0000-0000-0000-000000000001', '2020-01-01', '2020-01-01 00:00+00', true);
insert into texts values ('a ', '00000000-0000-0000-0000-000000000002', '2020-01-02', '2020-01-01 00:00+00', false);
insert into texts values ('a', '00000000-0000-0000-0000-000000000003', '2020-01-03', '2020-01-01 00:00+00', null);
insert into texts values ('b', '00000000-0000-0000-0000-000000000001', '2020-01-03', '2020-01-01 00:00+00', null);
insert into texts values ('b', '00000000-0000-0000-0000-000000000003', '2020-01-03', '2020-01-01 00:00+00', true);
insert into texts values (null, '00000000-0000-0000-0000-000000000003', '2020-01-03', '2020-01-01 00:00+00', null);
create table padded (c char(5) primary key);
insert into padded values ('a');
insert into padded values ('a  ');
create table late (a int, b int, c int);
insert into late values (1, 1, null), (2, 1, null), (3, null, null);
alter table late add primary key (a);
alter table late add constraint late_b unique (b);
alter table late add primary key (b);
alter table late add unique (c);
alter table late add constraint late_c_key unique (a, c);
alter table late add unique (nope);
update late set b = a;
alter table late add constraint late_b unique (b);
insert into late values (1, 9, 9);
insert into late values (9, 1, 9);
insert into late values (null, 9, 9);
alter table late drop constraint late_pkey;
insert into late values (1, 9, 9);
insert into late values (null, 10, 10);
alter table late drop constraint late_pkey;
alter table late drop constraint if exists late_pkey;
alter table late add primary key (a);
create table nulls (a int, b int);
insert into nulls values (null, 1);
alter table nulls add primary key (a);
create table bad (a int primary key, b int primary key);
create table bad (a int, primary key (a), primary key (a));
create table bad (a int, unique (z));
create table bad (a int, unique (a, a));
create table bad (a int, primary key (a, a));
create table bad (a int unique, constraint k_pkey unique (a));
create table bad (a int primary key, b int, c int, unique (b), unique (b, c), constraint mine unique (c));
insert into bad values (1, 1, 1), (2, 1, 2);
create table k_as as select * from k;
insert into k_as (id) values (1), (1);
create table k_like (like k including indexes);
insert into k_like (id) values (1), (1);
select conrelid::regclass, conname, contype, pg_get_constraintdef(oid) from pg_constraint where conrelid in ('k'::regclass, 'bad'::regclass, 'k_like'::regclass, 'late'::regclass) and contype in ('p', 'u') order by conrelid::regclass::text, conname;
select table_name, constraint_name, column_name, ordinal_position from information_schema.key_column_usage where table_name in ('k', 'bad') order by 1, 2, 4;
select column_name, is_nullable from information_schema.columns where table_name = 'k' order by ordinal_position;
alter table k rename to k2;
insert into k2 (id) values (1);
create temp table tk (a int primary key);
insert into tk values (1), (2);
insert into tk values (2);
drop table k2, texts, padded, late, nulls, bad, k_as, k_like;
create table k (id int primary key);
drop table k;
