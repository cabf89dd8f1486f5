select count(*) from customer where regexp_count(c_address, '[a-z]') > 5
