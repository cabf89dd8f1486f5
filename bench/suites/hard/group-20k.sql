select count(*) as groups, sum(lines) as lines, max(revenue) as most
from (select lo_custkey, count(*) as lines, sum(lo_revenue) as revenue from lineorder group by lo_custkey) as g
