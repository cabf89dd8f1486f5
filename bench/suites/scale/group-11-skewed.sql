select n_skewed, count(*) as rows, max(placed) from fact group by n_skewed order by rows desc, n_skewed limit 100
