select c_city, min(lo_extendedprice) as low, max(lo_extendedprice) as high, count(*) as lines
from lineorder_flat
group by c_city
order by c_city
