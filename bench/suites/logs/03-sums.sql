select sum(ad_engine), count(*), avg(width) from log
