{{ config(materialized='incremental', unique_key='id') }}
select id, name, {% if is_incremental() %} 2 {% else %} 1 {% endif %} as round
from {{ ref('typed') }} {% if is_incremental() %} where id > 150 {% endif %}
