select d_year, p_brand1, sum(lo_revenue) as revenue
from lineorder_flat
where p_category = 'MFGR#12' and s_region = 'AMERICA'
group by d_year, p_brand1
order by d_year, p_brand1
