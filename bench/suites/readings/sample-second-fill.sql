select ts, avg(velocity) as velocity, first(latitude) as latitude, last(latitude) as latest
from readings
where velocity > 98
sample by 1s fill(prev)
