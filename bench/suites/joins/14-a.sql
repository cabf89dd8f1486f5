SELECT count(*), min(w1.note), min(w3.year), max(w8.year)
FROM award_kind AS a7, work_keyword AS w9, work AS w8, company_kind AS c2, company AS c0, rating AS r5, keyword AS k12, kind AS k10, work_company AS w1, company_kind AS c11, country AS c4, work AS w3, work AS w13, award AS a6
WHERE w1.company_id = c0.id
  AND w1.kind_id = c2.id
  AND w1.work_id = w3.id
  AND c0.country_id = c4.id
  AND r5.work_id = w3.id
  AND a6.work_id = w3.id
  AND a6.kind_id = a7.id
  AND r5.work_id = w8.id
  AND w9.work_id = w3.id
  AND w8.kind_id = k10.id
  AND w1.kind_id = c11.id
  AND w9.keyword_id = k12.id
  AND w1.work_id = w13.id
  AND a6.work_id = w1.work_id
  AND NOT a6.won AND a6.year < 2000
  AND c4.code IN ('pl', 'ru', 'au')
  AND k12.word IN ('silver-pol162', 'garden-to9', 'ocean-sil192')
  AND k10.name <> 'feature'
