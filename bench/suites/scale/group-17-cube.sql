select n_few % 7 as a, v1 as b, v2 as c, sum(v3), count(*) from fact group by cube (n_few % 7, v1, v2) order by a, b, c
