select lo_revenue, lo_orderkey, lo_linenumber
from lineorder
order by lo_revenue desc, lo_orderkey, lo_linenumber
limit 10 offset 5000000
