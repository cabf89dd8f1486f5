select lo_partkey, sum(lo_revenue) as revenue
from lineorder
group by lo_partkey
order by revenue desc, lo_partkey
limit 10
