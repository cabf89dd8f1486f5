select min(day), max(day), min(seen), max(seen) from log
