select count(*) from (select distinct t_few, n_many, v1 from fact) as d
