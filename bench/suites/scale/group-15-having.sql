select n_many, n_few, count(*) as rows from fact group by n_many, n_few having count(*) > 1 order by rows desc, n_many, n_few limit 100
