select d_yearmonth, c_mktsegment, sum(lo_revenue - lo_supplycost) as profit
from lineorder_flat
group by d_yearmonth, c_mktsegment
order by d_yearmonth, c_mktsegment
