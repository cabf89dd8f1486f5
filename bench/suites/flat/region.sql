select c_region, count(*) as lines, sum(lo_revenue) as revenue
from lineorder_flat
group by c_region
order by c_region
