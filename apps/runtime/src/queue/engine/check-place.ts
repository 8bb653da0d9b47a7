import type { Pool } from "pg";
import { grantOn } from "../../store/postgres/check-rights.ts";
import { engineRefused } from "../queue-error.ts";

/** What a user may do in the engine's schema, and whether it is the engine's. */
const look = `SELECT current_user AS "user", space.oid IS NOT NULL AS "isThere",
    has_database_privilege(current_database(), 'CREATE') AS "mayMakeSchema",
    has_schema_privilege(space.oid, 'USAGE') AS "mayUse", has_schema_privilege(space.oid, 'CREATE') AS "mayMakeTables",
    EXISTS (SELECT FROM pg_class WHERE relnamespace = space.oid) AS "hasTables",
    EXISTS (SELECT FROM pg_class WHERE relnamespace = space.oid AND relname = 'dbos_migrations') AS "isEngines",
    (SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class
      WHERE relnamespace = space.oid AND relkind = 'r' AND relname <> 'dbos_migrations'
        AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))) AS forbidden
  FROM (SELECT to_regnamespace(quote_ident($1)) AS oid) AS space`;

interface Seen {
  readonly user: string;
  readonly isThere: boolean;
  readonly mayMakeSchema: boolean;
  readonly mayUse: boolean;
  readonly mayMakeTables: boolean;
  readonly hasTables: boolean;
  readonly isEngines: boolean;
  readonly forbidden: string | null;
}

/** Refuses a schema in which the engine cannot work, before it tries. @throws QueueError `engine_refused`. */
export async function checkPlace(pool: Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<Seen>(look, [schema]);
  const problem = problemOf(rows[0]!, schema);
  if (problem !== undefined) throw engineRefused(...problem);
}

function problemOf(seen: Seen, schema: string): readonly [reason: string, remedy: string] | undefined {
  const { user } = seen;
  const space = `the queue's schema ${schema}`;
  if (!seen.isThere)
    return seen.mayMakeSchema
      ? undefined
      : [
          `${space} does not exist, and ${user} may not make it`,
          `have an owner run: CREATE SCHEMA ${schema} AUTHORIZATION ${user}`,
        ];
  if (!seen.mayUse)
    return [
      `${user} may not use ${space}`,
      `have its owner run: GRANT USAGE ON SCHEMA ${schema} TO ${user}; then ${grantOn(schema, user)}`,
    ];
  if (!seen.isEngines)
    return seen.hasTables
      ? [
          `${space} holds tables of another program`,
          "name another schema with ?schema=NAME; nothing was changed",
        ]
      : seen.mayMakeTables
        ? undefined
        : [
            `${user} may not make tables in ${space}`,
            `have its owner run: GRANT CREATE ON SCHEMA ${schema} TO ${user}`,
          ];
  return seen.forbidden === null
    ? undefined
    : [`${user} may not read and write ${seen.forbidden} in ${space}`, grantOn(schema, user)];
}
