select count(*) as lines, sum(a.lo_revenue) as revenue, sum(b.lo_quantity) as quantity
from lineorder as a, lineorder as b
where a.lo_orderkey = b.lo_orderkey and a.lo_linenumber > 1 and b.lo_linenumber = 1
