\d
\dt
\dt other.*
\d orders
\d "Mixed Case"
\d+ customers
\dn
\dv
\di
\l
\d missing
\d words
\d keyed.people
\di keyed.*
