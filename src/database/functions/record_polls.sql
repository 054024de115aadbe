-- record_polls_v2 of a process that offers to send nothing itself, for replicas of release 0.1.0.
CREATE OR REPLACE FUNCTION record_polls(
  the_polls json,
  the_time timestamptz,
  OUT overtaken int,
  OUT published int,
  OUT outdated int[]
)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT v.overtaken, v.published, v.outdated INTO overtaken, published, outdated
  FROM record_polls_v2(the_polls, the_time, '[]') v;
END
$$;
