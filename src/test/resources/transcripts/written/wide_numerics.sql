-- Numbers of more than 38 digits on their way into tables.
create table f (f float8, g float4, k numeric(10, 2), i bigint);
insert into f values (1e300, 1e-40, 1.5, 3);
insert into f (f) values (-1e300), (1.5e-310), (1e45::float8);
insert into f (f) select 1e300;
insert into f (f, k) values (1e300, 1e50);
insert into f (f, k) values (1e300, 1.005);
insert into f (i) values (1e50);
insert into f (g) values (1e50);
update f set f = 1e301 where f = 1e300;
update f set f = f * 1e3, k = k + 1 where f > 1e300;
delete from f where f < -1e299;
insert into f (f) select (a * 1e37) * (a * 1e30)::numeric from (values (1.0), (2.0)) v (a);
update f set g = (k * 1e37) * (k * 1e-38 * 1e30) / 1e37 where k is not null;
prepare p (float8) as insert into f (f) values ($1), (1e302);
execute p (1e299);
execute p (2);
select * from f order by 1, 2, 3;
delete from f where f = (select max(i * 1e37 * 1e37) * 0 + 2 from f);
select count(*) from f;

-- A column of digits beyond 38.
create table w as select 1e50::numeric as x, 1 as y;
insert into w values (1);
insert into w select 2;
insert into w values ('3'), (4.50);
insert into w (x) values (1e70), ('1e5'), ('NaN');
copy w (x) from stdin;
5.50
-1e60
\.
copy w (x) from stdin;
5.5
x
\.
update w set x = x * 2 where y is null;
select x, pg_typeof(x) from w order by x;
delete from w where x > 1e60;
select count(*), sum(x) from w;
create table v as select 1e50::numeric(60, 3) as x;
insert into v values (1.23456), (1e56), (1e58);
insert into v values (1.23456), (1e56);
copy v from stdin;
7.77777
\.
copy v from stdin;
1e58
\.
select * from v order by 1;
\d w
\d v
