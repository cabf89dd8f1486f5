select t_few, n_few % 10 as tens, sum(v3), count(*) from fact group by rollup (t_few, n_few % 10) order by t_few, tens
