select sum(sqrt(lo_revenue)), sum(ln(lo_revenue)) from lineorder
