select lo_shipmode, count(distinct lo_orderkey) as orders
from lineorder
group by lo_shipmode
order by lo_shipmode
