import { PostgresStoreError, type StoreExtension } from "@mobkit/session-postgres";

/** What a host does with its tables and those of the store, and with the numbers that they give. */
const lacking = `SELECT string_agg(relname, ', ' ORDER BY relname) AS tables, current_user AS user_name,
    current_setting('transaction_read_only') AS is_read_only
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND (
    (relkind = 'r' AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')))
    OR (relkind = 'S' AND NOT has_sequence_privilege(oid, 'USAGE')))`;

/** The user may open the store, and not do with it what a host does. */
export class LackingRights extends PostgresStoreError<"rights_missing"> {
  /** What is to be done about it, by whom. */
  readonly remedy: string;

  constructor(details: { server: string; schema: string; reason: string }, remedy: string) {
    super("rights_missing", `${details.server}: ${details.reason}`, { details });
    this.remedy = remedy;
  }
}

/** Refuses a user who may look and not write, before a run finds out. @throws LackingRights */
export async function checkRights(
  extension: StoreExtension,
  { server, schema }: { readonly server: string; readonly schema: string },
): Promise<void> {
  const [row] = await extension.statement(lacking);
  const tables = row?.["tables"];
  if (row?.["is_read_only"] === "on") {
    const reason = "its transactions are read-only (a standby, or default_transaction_read_only)";
    throw new LackingRights(
      { server, schema, reason },
      "name the server that leads, and a user who may write",
    );
  }
  if (typeof tables !== "string") return;
  const user = String(row?.["user_name"]);
  const reason = `${user} may not read and write ${tables}`;
  throw new LackingRights({ server, schema, reason }, grantOn(schema, user));
}

/** What the owner of a schema runs for a user of its tables. */
export function grantOn(schema: string, user: string): string {
  return `have their owner run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${user}`;
}
