select c_nation, s_nation, sum(lo_revenue) as revenue, avg(lo_quantity) as quantity
from lineorder_flat
group by c_nation, s_nation
order by c_nation, s_nation
