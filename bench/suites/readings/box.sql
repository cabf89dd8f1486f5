select *
from readings
where latitude between -45 and 45
  and longitude between 10 and 10 + {longitude}
  and elevation < 2500
  and velocity > 50
  and heading between 90 and 270
