-- The rank in the log of the events that a transaction writes now. Servers start their transaction counters at different
-- numbers, and a server that lost transactions gives their ids again: in both cases the offset grows.
CREATE OR REPLACE FUNCTION log_rank_of(transaction_id xid8)
RETURNS bigint
LANGUAGE sql STABLE
AS $$
  SELECT log_offset + transaction_id::text::bigint FROM database_history ORDER BY number DESC LIMIT 1
$$;
