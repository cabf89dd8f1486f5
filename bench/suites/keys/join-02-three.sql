select count(*), sum(e.value) from entry as e, customer as c where e.c_mail = c.c_mail and e.c_last = c.c_last and e.c_id = c.c_id
