select count(*), sum(n) from (select c_mail, sum(id) as n from customer group by c_mail) as g
