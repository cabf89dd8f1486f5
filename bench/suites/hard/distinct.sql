select count(distinct lo_custkey) as customers, count(distinct lo_partkey) as parts from lineorder
