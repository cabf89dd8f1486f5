select n_few, n_some, stddev_samp(v4) as deviation, count(*) from fact group by n_few, n_some order by n_few, n_some limit 100
