select lo_shipmode, lo_orderpriority, count(*) as lines, sum(lo_ordtotalprice) as total
from lineorder_flat
group by lo_shipmode, lo_orderpriority
order by lo_shipmode, lo_orderpriority
