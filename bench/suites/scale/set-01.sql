select count(*) from (select n_many, t_many from fact intersect select n_many, t_many from other) as common
