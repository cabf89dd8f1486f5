select t_many, sum(v1) as v1, avg(v3) as v3 from fact group by t_many order by t_many limit 100
