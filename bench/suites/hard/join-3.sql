select count(*) as groups, sum(revenue) as revenue, max(lines) as most
from (
  select c_custkey, d_monthnuminyear, count(*) as lines, sum(lo_revenue) as revenue
  from lineorder, customer, date
  where lo_custkey = c_custkey and lo_orderdate = d_datekey
  group by c_custkey, d_monthnuminyear) as g
