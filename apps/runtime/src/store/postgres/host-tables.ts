/** The host's namespace in a store's schema: every table begins with it. */
export const NAMESPACE = "runtime";

/**
 * The host's tables beside the store's; only ever added to.
 *
 * Events are numbered under one lock of the schema, so that what is behind a place never comes late, and numbers have no
 * gap. Who appends notifies at the commit, for which the server lets one transaction through at a time in any case.
 */
export const hostTables: readonly string[] = [
  `CREATE TABLE runtime_intent (
     number bigint GENERATED ALWAYS AS IDENTITY, call_key text PRIMARY KEY, session text NOT NULL, run text NOT NULL,
     tool_call text NOT NULL, tool text NOT NULL, level text NOT NULL, digest text NOT NULL, started_at bigint NOT NULL,
     finished_at bigint
   );
   CREATE INDEX runtime_intent_session ON runtime_intent (session, started_at, number);
   CREATE TABLE runtime_approval (
     number bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, call_key text NOT NULL, session text,
     state text NOT NULL, created_at bigint NOT NULL, expires_at bigint NOT NULL, record text NOT NULL
   );
   CREATE INDEX runtime_approval_call ON runtime_approval (call_key, created_at, number);
   CREATE INDEX runtime_approval_session ON runtime_approval (session);
   CREATE INDEX runtime_approval_open ON runtime_approval (state) WHERE state = 'open';
   CREATE TABLE runtime_rule (
     number bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, tool text NOT NULL, effect text NOT NULL,
     scope text NOT NULL, scope_key text, created_at bigint NOT NULL, expires_at bigint, revoked_at bigint,
     rule text NOT NULL
   );
   CREATE INDEX runtime_rule_scope ON runtime_rule (scope, scope_key);
   CREATE TABLE runtime_rule_version (id integer PRIMARY KEY CHECK (id = 1), version bigint NOT NULL);
   INSERT INTO runtime_rule_version VALUES (1, 0);
   CREATE FUNCTION runtime_rule_changed() RETURNS trigger LANGUAGE plpgsql AS $body$
     BEGIN
       UPDATE runtime_rule_version SET version = version + 1;
       RETURN NULL;
     END $body$;
   CREATE TRIGGER runtime_rule_changes AFTER INSERT OR UPDATE OR DELETE ON runtime_rule
     FOR EACH STATEMENT EXECUTE FUNCTION runtime_rule_changed();
   CREATE TABLE runtime_cancel (run text PRIMARY KEY, session text NOT NULL, asked_at bigint NOT NULL);
   CREATE TABLE runtime_upkeep (id integer PRIMARY KEY CHECK (id = 1), at bigint NOT NULL);`,
  `CREATE TABLE runtime_event (
     place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session text NOT NULL, seq bigint NOT NULL,
     begins text, batch text, body text NOT NULL, UNIQUE (session, seq)
   );
   CREATE INDEX runtime_event_run ON runtime_event (begins) WHERE begins IS NOT NULL;
   CREATE UNIQUE INDEX runtime_event_batch ON runtime_event (batch) WHERE batch IS NOT NULL;
   CREATE FUNCTION runtime_event_append(channel text, origin text, given_batch text, sessions text[], begun text[], bodies text[])
     RETURNS TABLE (number bigint) LANGUAGE plpgsql AS $body$
     #variable_conflict use_column
     DECLARE first_place bigint;
     BEGIN
       PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.runtime_event', 0));
       SELECT place INTO first_place FROM runtime_event WHERE batch = given_batch;
       IF first_place IS NULL THEN
         INSERT INTO runtime_event (session, seq, begins, batch, body)
         SELECT given.session, coalesce(known.last, 0) + row_number() OVER (PARTITION BY given.session ORDER BY given.at),
           given.begun, CASE WHEN given.at = 1 THEN given_batch END, given.body
         FROM unnest(sessions, begun, bodies) WITH ORDINALITY AS given (session, begun, body, at)
         LEFT JOIN (
           SELECT name, (SELECT max(seq) FROM runtime_event WHERE session = name) AS last
           FROM (SELECT DISTINCT unnest(sessions) AS name) AS names
         ) AS known ON known.name = given.session
         ORDER BY given.at;
         SELECT place INTO first_place FROM runtime_event WHERE batch = given_batch;
         PERFORM pg_notify(channel, json_build_array('events', origin, name)::text)
         FROM (SELECT DISTINCT unnest(sessions) AS name) AS names;
       END IF;
       RETURN QUERY SELECT seq FROM runtime_event WHERE place >= first_place ORDER BY place
         LIMIT cardinality(sessions);
     END $body$;`,
  `CREATE TABLE runtime_move (id integer PRIMARY KEY CHECK (id = 1), source text NOT NULL);`,
];
