/** Functions for steps that must be atomic. `ahead` is for tests: milliseconds to add to the clock. */
export const functions = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.now_ahead(ahead float8) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() + ahead * interval '1 millisecond'
$$;

-- Each append of a batch succeeds or fails independently. Batches are ordered by run, so two of them cannot deadlock.
CREATE OR REPLACE FUNCTION ${schema}.append(items json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  item json; chunk json; known ${schema}.runs; results json[] := '{}'; is_mine boolean; first bigint; last bigint;
BEGIN
  FOR item IN SELECT * FROM json_array_elements(items) LOOP
    first := (item->>'first')::bigint; last := (item->>'last')::bigint;
    SELECT * INTO known FROM ${schema}.runs WHERE run = item->>'run' FOR UPDATE;
    IF NOT FOUND AND first = 1 AND coalesce((item->>'epoch')::bigint, 1) = 1 THEN
      INSERT INTO ${schema}.runs (run, thread, "user", name, agent, seq, started_at, owner, epoch)
      VALUES (item->>'run', item->>'thread', item->>'user', item->>'name', coalesce(item->>'agent', item->>'name'), 0,
        (item->>'startedAt')::float8, item->>'owner', coalesce((item->>'epoch')::bigint, 0))
      ON CONFLICT (run) DO NOTHING RETURNING * INTO known;
      IF NOT FOUND THEN SELECT * INTO known FROM ${schema}.runs WHERE run = item->>'run' FOR UPDATE; END IF;
    END IF;
    IF known.number IS NULL THEN
      IF first = 1 THEN results := results || json_build_object('status', 'fenced', 'epoch', 0);
      ELSE results := results || json_build_object('status', 'conflict', 'seq', 0); END IF;
      CONTINUE;
    END IF;
    is_mine := known.epoch = coalesce((item->>'epoch')::bigint, 0) AND known.owner IS NOT DISTINCT FROM item->>'owner';
    IF known.dropped THEN
      results := results || json_build_object('status', 'dropped');
    ELSIF NOT is_mine THEN
      results := results || json_build_object('status', 'fenced', 'owner', known.owner, 'epoch', known.epoch);
    ELSIF known.seq <> first - 1 THEN
      IF (item->>'isRetry')::boolean AND known.seq = last AND EXISTS (
        SELECT FROM ${schema}.entries e WHERE e.run = known.number AND e.last = known.seq AND e.body = item->'chunks'->-1->>'body')
      THEN results := results || json_build_object('status', 'stored');
      ELSE results := results || json_build_object('status', 'conflict', 'seq', known.seq); END IF;
    ELSE
      FOR chunk IN SELECT * FROM json_array_elements(item->'chunks') LOOP
        INSERT INTO ${schema}.entries VALUES (known.number, (chunk->>'last')::bigint, chunk->>'body');
      END LOOP;
      UPDATE ${schema}.runs r SET seq = last, ended_at = coalesce((item->>'endedAt')::float8, r.ended_at),
        outcome = coalesce(item->>'outcome', r.outcome) WHERE r.number = known.number;
      IF item->>'endedAt' IS NOT NULL THEN DELETE FROM ${schema}.controls c WHERE c.run = known.number; END IF;
      results := results || json_build_object('status', 'stored');
    END IF;
  END LOOP;
  RETURN array_to_json(results);
END $$;

-- Stores appends that continue runs, one per run, all at once. Returns the places of those that were stored. For any other, append() returns the reason.
CREATE OR REPLACE FUNCTION ${schema}.extend(
  runs text[], firsts bigint[], lasts bigint[], owners text[], epochs bigint[], bodies text[], ends float8[], outcomes text[])
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE places bigint[];
BEGIN
  WITH wanted AS (
    SELECT * FROM unnest(runs, firsts, lasts, owners, epochs, bodies, ends, outcomes)
      WITH ORDINALITY AS w(run, first, last, owner, epoch, body, ended_at, outcome, place)
  ), mine AS MATERIALIZED (
    SELECT r.number, w.* FROM wanted w JOIN ${schema}.runs r ON r.run = w.run
    WHERE r.seq = w.first - 1 AND r.epoch = coalesce(w.epoch, 0) AND r.owner IS NOT DISTINCT FROM w.owner AND NOT r.dropped
    ORDER BY w.run COLLATE "C" FOR UPDATE OF r
  ), stored AS (
    INSERT INTO ${schema}.entries SELECT number, last, body FROM mine
  ), moved AS (
    UPDATE ${schema}.runs r SET seq = mine.last, ended_at = coalesce(mine.ended_at, r.ended_at), outcome = coalesce(mine.outcome, r.outcome)
    FROM mine WHERE r.number = mine.number
  ), over AS (
    DELETE FROM ${schema}.controls c USING mine WHERE c.run = mine.number AND mine.ended_at IS NOT NULL
  )
  SELECT coalesce(array_agg(place), '{}') INTO places FROM mine;
  RETURN places;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.heartbeat(p_owner text, lease float8, ahead float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE was_alive boolean; now timestamptz := ${schema}.now_ahead(ahead);
BEGIN
  SELECT until > now INTO was_alive FROM ${schema}.owners WHERE owner = p_owner FOR UPDATE;
  IF lease > 0 THEN
    INSERT INTO ${schema}.owners VALUES (p_owner, now + lease * interval '1 millisecond')
    ON CONFLICT (owner) DO UPDATE SET until = excluded.until;
    DELETE FROM ${schema}.owners WHERE until < now - interval '1 day';
  ELSE
    DELETE FROM ${schema}.owners WHERE owner = p_owner;
  END IF;
  RETURN coalesce(was_alive, false);
END $$;

CREATE OR REPLACE FUNCTION ${schema}.take_over(p_run text, p_owner text, ahead float8) RETURNS SETOF ${schema}.runs LANGUAGE plpgsql AS $$
DECLARE known ${schema}.runs;
BEGIN
  SELECT * INTO known FROM ${schema}.runs WHERE run = p_run AND ended_at IS NULL AND NOT dropped FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF known.owner <> p_owner AND EXISTS (
    SELECT FROM ${schema}.owners o WHERE o.owner = known.owner AND o.until > ${schema}.now_ahead(ahead)) THEN RETURN; END IF;
  RETURN QUERY UPDATE ${schema}.runs SET owner = p_owner, epoch = epoch + 1 WHERE number = known.number RETURNING *;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.send(p_run text, p_id text, p_body text, most int, channel text, message text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE known ${schema}.runs; count int;
BEGIN
  SELECT * INTO known FROM ${schema}.runs WHERE run = p_run FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  IF known.dropped THEN RETURN 'dropped'; END IF;
  IF known.ended_at IS NOT NULL THEN RETURN 'ended'; END IF;
  IF EXISTS (SELECT FROM ${schema}.controls WHERE run = known.number AND id = p_id) THEN RETURN 'queued'; END IF;
  SELECT coalesce(max(number), 0) INTO count FROM ${schema}.controls WHERE run = known.number;
  IF count >= most THEN RETURN 'full'; END IF;
  INSERT INTO ${schema}.controls VALUES (known.number, count + 1, p_id, p_body);
  PERFORM pg_notify(channel, message);
  RETURN 'queued';
END $$;

CREATE OR REPLACE FUNCTION ${schema}.drop_run(p_run text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE known ${schema}.runs;
BEGIN
  SELECT * INTO known FROM ${schema}.runs WHERE run = p_run FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  IF known.dropped THEN RETURN 'dropped'; END IF;
  IF known.ended_at IS NULL THEN RETURN 'open'; END IF;
  DELETE FROM ${schema}.entries WHERE run = known.number;
  DELETE FROM ${schema}.files WHERE run = p_run;
  DELETE FROM ${schema}.file_chunks WHERE run = p_run;
  UPDATE ${schema}.runs SET dropped = true WHERE number = known.number;
  DELETE FROM ${schema}.runs WHERE dropped AND number < (
    SELECT number FROM ${schema}.runs WHERE dropped ORDER BY number DESC OFFSET 99999 LIMIT 1);
  RETURN 'gone';
END $$;

-- Changes one record. The answer is kept for a while, in case it does not reach the caller.
CREATE OR REPLACE FUNCTION ${schema}.change(p_call text, p_kind text, p_id text, what text, amount text, life float8, ahead float8)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE kept ${schema}.records; now timestamptz := ${schema}.now_ahead(ahead); ends timestamptz; answer text; sum numeric;
BEGIN
  -- Serializes calls on one record, even while it does not exist.
  PERFORM pg_advisory_xact_lock(hashtextextended(p_kind || ' ' || p_id, 0));
  SELECT c.answer INTO answer FROM ${schema}.calls c WHERE c.call = p_call;
  IF answer IS NOT NULL THEN RETURN answer; END IF;
  ends := now + life * interval '1 millisecond';
  DELETE FROM ${schema}.records WHERE kind = p_kind AND id = p_id AND until <= now;
  SELECT * INTO kept FROM ${schema}.records WHERE kind = p_kind AND id = p_id;
  answer := '1';
  IF what = 'delete' THEN
    DELETE FROM ${schema}.records WHERE kind = p_kind AND id = p_id;
    IF kept.kind IS NULL THEN answer := '0'; END IF;
  ELSIF what = 'add' THEN
    IF kept.kind IS NOT NULL AND kept.value !~ '^-?[0-9]+$' THEN answer := 'not';
    ELSE
      sum := coalesce(kept.value::numeric, 0) + amount::numeric;
      IF abs(sum) > 9007199254740991 THEN answer := 'large';
      ELSE
        INSERT INTO ${schema}.records VALUES (p_kind, p_id, sum::text, ends)
        ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value;
        answer := sum::text;
      END IF;
    END IF;
  ELSIF what = 'put-if-absent' AND kept.kind IS NOT NULL THEN answer := '0';
  ELSE
    INSERT INTO ${schema}.records VALUES (p_kind, p_id, amount, ends)
    ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value, until = excluded.until;
  END IF;
  INSERT INTO ${schema}.calls (call, answer) VALUES (p_call, answer);
  RETURN answer;
END $$;
`;
