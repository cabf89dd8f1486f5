EXPLAIN SELECT 1;
EXPLAIN SELECT t, count(*) FROM types WHERE i4 > 5 AND d < '1995-01-01' GROUP BY t ORDER BY 2 DESC LIMIT 3;
EXPLAIN SELECT c.city, sum(o.amount) FROM orders o JOIN customers c ON o.customer_id = c.id WHERE o.quantity > 10 GROUP BY c.city;
EXPLAIN (VERBOSE) SELECT i4 + 1 FROM types WHERE b;
EXPLAIN (COSTS OFF) SELECT id FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE amount > 900);
EXPLAIN (COSTS OFF) SELECT o.id FROM orders o, customers c WHERE o.customer_id = c.id AND NOT EXISTS (SELECT FROM nothing n WHERE n.id = c.id);
EXPLAIN (FORMAT JSON) SELECT 1;
