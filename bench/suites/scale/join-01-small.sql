select s.code, sum(f.v3) as v3, count(*) from fact f join small s on f.n_few = s.id group by s.code order by s.code
