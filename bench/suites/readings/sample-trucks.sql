select ts, name, avg(velocity) as velocity, max(fuel_consumption) as fuel
from readings
where name in ('truck_17', 'truck_170', 'truck_1700')
sample by 30m
