select n_few, count(distinct n_many), count(distinct t_some) from fact group by n_few order by n_few
