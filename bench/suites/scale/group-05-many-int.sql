select n_many, sum(v1) as v1, sum(v2) as v2, sum(v3) as v3 from fact group by n_many order by v3 desc, n_many limit 100
