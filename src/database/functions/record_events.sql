-- record_events_v3 without reports, for replicas of release 0.1.0, which insert a payment's first report themselves.
CREATE OR REPLACE FUNCTION record_events(
  the_ids uuid[],
  the_payments bigint[],
  the_sequences int[],
  the_types text[],
  the_bodies text[],
  the_time timestamptz
)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM record_events_v3(the_ids, the_payments, the_sequences, the_types, the_bodies, the_time, '{}', '{}', '[]');
END
$$;
