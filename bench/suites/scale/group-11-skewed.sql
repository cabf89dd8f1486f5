select n_skewed, count(*) as rows, max(at) from fact group by n_skewed order by rows desc, n_skewed limit 100
