select count(*) as groups, sum(lines) as lines, max(revenue) as most
from (select lo_orderkey, count(*) as lines, sum(lo_revenue) as revenue from lineorder group by lo_orderkey) as g
