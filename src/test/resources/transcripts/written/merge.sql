-- MERGE, as PostgreSQL has it.
CREATE TABLE stock (id int NOT NULL, item text, amount numeric(10,2), seen date, note varchar(5));
INSERT INTO stock VALUES (1, 'apple', 10, '2026-01-01', NULL), (2, 'pear', 20.5, '2026-01-02', 'b'), (3, 'plum', NULL, NULL, 'c'), (4, 'fig', 7, '2026-01-04', 'd');
CREATE TABLE delta (id int, item text, amount numeric, kind text);
INSERT INTO delta VALUES (1, 'apple', 2.005, 'add'), (2, NULL, NULL, 'drop'), (5, 'kiwi', 50, 'new'), (6, 'lime', 60, 'skip'), (NULL, 'nut', 1, 'new');
MERGE INTO stock s USING delta d ON s.id = d.id
  WHEN MATCHED AND d.kind = 'drop' THEN DELETE
  WHEN MATCHED THEN UPDATE SET amount = s.amount + d.amount, note = CASE WHEN d.kind = 'add' THEN 'more' ELSE 'x' END
  WHEN NOT MATCHED AND d.kind = 'skip' THEN DO NOTHING
  WHEN NOT MATCHED AND d.id IS NOT NULL THEN INSERT (id, item, amount) VALUES (d.id, item, amount);
SELECT * FROM stock ORDER BY id;
-- nothing to do
MERGE INTO stock s USING delta d ON s.id = d.id WHEN MATCHED AND false THEN DELETE;
MERGE INTO stock USING (SELECT 1 AS k WHERE false) d ON id = k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (k);
-- rows without a match in the source
MERGE INTO stock AS s USING (VALUES (1, 'one'), (9, 'nine')) AS v (k, word) ON s.id = v.k
  WHEN NOT MATCHED BY SOURCE AND s.amount IS NULL THEN DELETE
  WHEN NOT MATCHED BY SOURCE THEN UPDATE SET note = 'left'
  WHEN MATCHED THEN UPDATE SET (item, seen) = (v.word, DATE '2026-02-01')
  WHEN NOT MATCHED BY TARGET THEN INSERT (id, item, seen) VALUES (v.k, v.word, DEFAULT);
SELECT * FROM stock ORDER BY id;
-- a source that is a join, and one that reads the table itself
MERGE INTO stock t USING delta a JOIN delta b ON a.id = b.id AND a.kind = b.kind ON t.id = a.id AND a.kind = 'new'
  WHEN MATCHED THEN UPDATE SET item = upper(t.item);
MERGE INTO stock t USING stock s ON t.id = s.id - 1
  WHEN MATCHED THEN UPDATE SET item = s.item
  WHEN NOT MATCHED THEN INSERT (id, item) VALUES (s.id + 100, 'copy of ' || s.item);
SELECT * FROM stock ORDER BY id;
-- a row cannot be changed twice
MERGE INTO stock t USING (VALUES (1), (1)) v (k) ON t.id = v.k WHEN MATCHED THEN UPDATE SET item = 'twice';
MERGE INTO stock t USING (VALUES (1), (1)) v (k) ON t.id = v.k WHEN MATCHED THEN DELETE;
MERGE INTO stock t USING (VALUES (1), (1)) v (k) ON t.id = v.k WHEN MATCHED THEN DO NOTHING;
MERGE INTO stock t USING (VALUES (50), (50)) v (k) ON t.id = v.k WHEN NOT MATCHED THEN INSERT (id, item) VALUES (k, 'double');
SELECT count(*), max(id) FROM stock WHERE item = 'double';
-- errors
MERGE INTO stock t USING delta d ON t.id = d.id WHEN NOT MATCHED THEN INSERT (item) VALUES ('no id');
MERGE INTO stock t USING delta d ON t.id = d.id WHEN NOT MATCHED AND d.id IS NULL THEN INSERT (id, note) VALUES (7, 'too long');
MERGE INTO stock t USING delta d ON t.id = d.id WHEN NOT MATCHED THEN INSERT (id) VALUES (1, 2);
MERGE INTO stock t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET nothing = 1;
MERGE INTO stock t USING delta d ON t.id = d.id WHEN MATCHED THEN UPDATE SET item = 1, item = 2;
MERGE INTO stock t USING delta d ON t.id = d.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN DO NOTHING;
MERGE INTO stock t USING delta d ON id = 1 WHEN MATCHED THEN DELETE;
MERGE INTO stock t USING delta d ON t.id = d.id WHEN MATCHED THEN INSERT VALUES (1);
MERGE INTO stock t USING delta d ON t.id = d.id;
MERGE INTO stock t USING delta d WHEN MATCHED THEN DELETE;
MERGE INTO nowhere t USING delta d ON t.id = d.id WHEN MATCHED THEN DELETE;
MERGE INTO stock t USING nowhere d ON t.id = d.id WHEN MATCHED THEN DELETE;
MERGE INTO stock t USING delta d ON t.id = d.item WHEN MATCHED THEN DELETE;
MERGE INTO stock t USING delta d ON t.id = d.id WHEN MATCHED AND nothing = 1 THEN DO NOTHING;
MERGE INTO stock t USING delta d, delta e ON t.id = d.id WHEN MATCHED THEN DELETE;
MERGE INTO stock t USING (SELECT id, max(amount) AS end FROM delta WHERE kind = 'none' GROUP BY id) d ON t.id = d.id
  WHEN MATCHED THEN UPDATE SET amount = (SELECT max(e.amount) AS end FROM delta e WHERE e.id = t.id);
DELETE FROM stock t USING (SELECT id, amount AS end FROM delta WHERE kind = 'none') d WHERE t.id = d.id;
UPDATE stock SET amount = (SELECT max(e.amount) AS end FROM delta e WHERE e.kind = 'none'), note = CASE WHEN id > 1 THEN 'a' END WHERE id < 0;
-- all of a transaction or nothing
BEGIN;
MERGE INTO stock t USING delta d ON t.id = d.id WHEN MATCHED THEN DELETE;
INSERT INTO stock (id) VALUES (1000);
MERGE INTO stock t USING (SELECT 1000 AS k UNION ALL SELECT 1001) d ON t.id = d.k
  WHEN MATCHED THEN UPDATE SET item = 'seen' WHEN NOT MATCHED THEN INSERT (id, item) VALUES (k, 'new');
SELECT id, item FROM stock WHERE id >= 1000 ORDER BY id;
ROLLBACK;
SELECT count(*) FROM stock WHERE id >= 1000;
PREPARE merging AS MERGE INTO stock t USING delta d ON t.id = d.id WHEN MATCHED THEN DELETE;
EXECUTE merging;
EXECUTE merging;
SELECT id FROM stock ORDER BY id;
DROP TABLE stock;
DROP TABLE delta;
