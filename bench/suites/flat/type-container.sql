select p_type, p_container, sum(lo_supplycost) as cost
from lineorder_flat
where p_mfgr in ('MFGR#1', 'MFGR#2')
group by p_type, p_container
order by cost desc, p_type, p_container
limit 20
