select count(*) from log where ad_engine <> 0
