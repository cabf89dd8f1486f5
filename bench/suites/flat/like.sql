select count(*) as lines, sum(lo_revenue) as revenue
from lineorder_flat
where p_container like 'SM%' and c_city like 'UNITED%' and lo_shipmode <> 'MAIL'
