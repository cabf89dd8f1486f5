select n_few, avg(v1) as v1, avg(v2) as v2, avg(v3) as v3 from fact group by n_few order by n_few
