select id, upper(name) as name, at::date as at, amount::numeric(10, 2) as amount from {{ ref('raw') }}
