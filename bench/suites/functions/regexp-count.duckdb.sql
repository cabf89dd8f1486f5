select count(*) from customer where len(regexp_extract_all(c_address, '[a-z]')) > 5
