select n_wide, count(*) as rows, sum(v3) from fact group by n_wide order by rows desc, n_wide limit 100
