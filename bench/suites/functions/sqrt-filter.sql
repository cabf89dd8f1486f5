select count(*) from lineorder where sqrt(lo_revenue) > 2000
