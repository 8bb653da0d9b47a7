import { secrets } from "../secrets/secrets.ts";
import type { Environment } from "./data-dir.ts";
import { StartError } from "./start-error.ts";

/** The variable that says where sessions are kept. It holds a password. */
export const STORE_VARIABLE = "BASIS_STORE";

/** The schema of a database that the host keeps its state in, unless the address names another. */
const DEFAULT_SCHEMA = "basis";

/** A database that state is kept in. */
export interface DatabasePlace {
  /** With the password, for the driver alone. */
  readonly url: string;
  readonly schema: string;
  /** Host, port, database and schema, for people. */
  readonly name: string;
}

/**
 * The database that `BASIS_STORE` names; undefined where state is kept in the data directory. From here on its
 * password is a secret of this process.
 *
 * @throws StartError `store`
 */
export function databasePlace(env: Environment): DatabasePlace | undefined {
  const given = env[STORE_VARIABLE];
  return given === undefined || given === "" ? undefined : parseDatabase(given, STORE_VARIABLE);
}

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`; `where` says what it was given as. No refusal repeats it.
 *
 * @throws StartError `store`
 */
export function parseDatabase(text: string, where: string): DatabasePlace {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse(where, "is no address");
  }
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:")
    throw refuse(where, `begins with ${url.protocol}, and only PostgreSQL is known`);
  keepSecret(url);
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  url.searchParams.delete("schema");
  const host = url.hostname || url.searchParams.get("host") || "localhost";
  const name = `${host}:${url.port || "5432"}${url.pathname}, schema ${schema}`;
  return { url: url.href, schema, name };
}

function keepSecret(url: URL): void {
  const passwords = [url.password, url.searchParams.get("password") ?? ""].filter((text) => text !== "");
  for (const password of passwords) {
    secrets.add(password);
    secrets.add(decoded(password));
  }
  if (passwords.length > 0) secrets.add(url.href);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refuse(where: string, why: string): StartError {
  return new StartError("store", [
    `${where} ${why}: give postgres://USER:PASSWORD@HOST:PORT/DATABASE, with ?schema=NAME for another schema than ${DEFAULT_SCHEMA}, or leave it out to keep sessions in the data directory`,
  ]);
}
