select count(*), sum(f.v1), sum(o.amount) from fact f join other o on f.t_many = o.t_many where f.n_few < 20
