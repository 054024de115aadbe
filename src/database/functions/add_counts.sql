-- Adds two objects of counts, name by name.
CREATE OR REPLACE FUNCTION add_counts(one jsonb, other jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT coalesce(jsonb_object_agg(added.key, added.count), '{}') FROM (
    SELECT each.key, sum(each.value::bigint) AS count
    FROM (SELECT * FROM jsonb_each_text(one) UNION ALL SELECT * FROM jsonb_each_text(other)) each
    GROUP BY each.key
  ) added
$$;
