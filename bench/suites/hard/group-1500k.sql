select count(*) as groups, sum(lines) as lines, max(revenue) as most
from (
  select lo_partkey, lo_tax, count(*) as lines, sum(lo_revenue) as revenue
  from lineorder
  group by lo_partkey, lo_tax) as g
