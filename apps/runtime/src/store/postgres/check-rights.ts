import { PostgresStoreError, type StoreExtension } from "@mobkit/session-postgres";

/** What a host does with its tables, and with those of the store. */
const lacking = `SELECT string_agg(relname, ', ' ORDER BY relname) AS tables, current_user AS user_name,
    current_setting('transaction_read_only') AS is_read_only
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))`;

/** Refuses a user who may look and not write, before a run finds out. @throws PostgresStoreError `rights_missing`. */
export async function checkRights(
  extension: StoreExtension,
  { server, schema }: { readonly server: string; readonly schema: string },
): Promise<void> {
  const [row] = await extension.statement(lacking);
  const tables = row?.["tables"];
  const isReadOnly = row?.["is_read_only"] === "on";
  if (typeof tables !== "string" && !isReadOnly) return;
  const user = String(row?.["user_name"]);
  const reason = isReadOnly
    ? "its transactions are read-only (a standby, or default_transaction_read_only)"
    : `${user} may not read and write the tables ${String(tables)}`;
  throw new PostgresStoreError("rights_missing", `${server}: ${reason}`, {
    details: { server, schema, reason },
  });
}
