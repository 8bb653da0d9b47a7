import { connectionOn, type DatabaseHandle } from "./database-handle.ts";
import type { SqliteDriver } from "./driver.ts";
import { SqliteStoreError } from "./store-error.ts";

/** The class that node:sqlite and its look-alike export. */
interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readOnly?: boolean }) => DatabaseHandle;
  /** From Node 22.16 on. */
  readonly backup?: (handle: never, path: string) => Promise<unknown>;
}

/** The package that stands in where Node has no usable SQLite of its own. */
const peer = { name: "@photostructure/sqlite", version: "^1.2.1" } as const;

let loaded: Promise<SqliteDriver> | undefined;

/**
 * The platform's driver: `node:sqlite` from Node 22.13 on, else `@photostructure/sqlite`. Loaded once.
 *
 * @throws SqliteStoreError `driver_missing` naming the package to install.
 */
export function loadDriver(): Promise<SqliteDriver> {
  loaded ??= findDriver().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function findDriver(): Promise<SqliteDriver> {
  const builtIn = hasUsableSqlite(process.versions.node) ? loadBuiltIn() : undefined;
  return builtIn ?? loadPeer(() => import("@photostructure/sqlite"));
}

/** True for the Node versions whose node:sqlite needs no flag. */
export function hasUsableSqlite(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

/** The stand-in's driver; `load` imports it. */
export async function loadPeer(load: () => Promise<SqliteModule>): Promise<SqliteDriver> {
  try {
    return driverOf(peer.name, await load());
  } catch (cause) {
    const message =
      `no SQLite for Node ${process.versions.node}: install ${peer.name}@${peer.version}, ` +
      `run Node 22.13 or later, or pass an open database handle (${(cause as Error).message.split("\n")[0]})`;
    const details = { package: peer.name, version: peer.version, node: process.versions.node };
    throw new SqliteStoreError("driver_missing", message, { details, cause });
  }
}

/** Node's own module; undefined when this build has none. Its experimental warning is kept off stderr. */
function loadBuiltIn(): SqliteDriver | undefined {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const text = typeof warning === "string" ? warning : warning.message;
    if (!text.startsWith("SQLite is an experimental feature")) {
      Reflect.apply(emitWarning, process, [warning, ...rest]);
    }
  };
  try {
    const module = process.getBuiltinModule("node:sqlite") as SqliteModule | undefined;
    return module && driverOf("node:sqlite", module);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function driverOf(name: string, module: SqliteModule): SqliteDriver {
  return {
    name,
    open: (path, options = {}) => {
      const place = options.immutable === true ? immutableUri(path) : path;
      const handle = new module.DatabaseSync(place, { readOnly: options.readOnly ?? false });
      const { backup } = module;
      const copy = backup && ((target: string) => backup(handle as never, target));
      return { ...connectionOn(handle), backup: copy };
    },
  };
}

/** Source: https://sqlite.org/uri.html (`immutable`: on read-only media, no locks and no change detection). */
function immutableUri(path: string): string {
  const { pathToFileURL } = process.getBuiltinModule("node:url");
  const uri = pathToFileURL(path);
  uri.searchParams.set("immutable", "1");
  return uri.href;
}
