select count(*), sum(amount) from other o where amount > (select avg(v3) * 10 from fact f where f.n_many = o.n_many)
