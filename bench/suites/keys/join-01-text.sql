select count(*), sum(e.value) from entry as e, customer as c where e.c_mail = c.c_mail
