select count(*), sum(o.amount) from fact f join other o on f.t_many = o.t_many and f.n_many = o.n_many
