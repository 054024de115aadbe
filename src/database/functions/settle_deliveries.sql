-- settle_deliveries_v3 without the attempts, for replicas of release 0.1.0: they call keep_attempts with these afterwards.
CREATE OR REPLACE FUNCTION settle_deliveries(
  the_ids bigint[],
  the_tokens bigint[],
  the_states text[],
  the_in_ms bigint[],
  the_attempts int[],
  hold_lanes boolean[],
  the_failures text[],
  the_http_statuses smallint[],
  are_routed boolean[]
)
RETURNS bigint[]
LANGUAGE plpgsql
AS $$
BEGIN
  RETURN (
    SELECT coalesce(v.held, '{}')
    FROM settle_deliveries_v3(the_ids, the_tokens, the_states, the_in_ms, the_attempts, hold_lanes, the_failures,
      the_http_statuses, are_routed, '{}', '{}', '{}', '{}', '{}') v);
END
$$;
