select min(day), max(day), min(at), max(at) from log
