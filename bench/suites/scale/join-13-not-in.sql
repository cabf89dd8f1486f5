select count(*) from fact where n_many not in (select n_many from other where amount < 10)
