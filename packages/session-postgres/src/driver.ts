import type { CustomTypesConfig, types as PgTypes } from "pg";
import type { SqlRow } from "./sql.ts";
import { PostgresStoreError } from "./store-error.ts";

/** A query as the driver takes it. */
export interface DriverQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
  /** Sends one statement only, and no script. */
  readonly queryMode?: "extended";
}

/** What the server answered. */
export interface DriverResult {
  readonly rows: readonly SqlRow[];
  readonly rowCount: number | null;
  readonly command: string;
}

/** A connection of the driver. Declared here, so that the package's types need neither the driver's nor Node's. */
export interface DriverClient {
  query(query: DriverQuery): Promise<DriverResult>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notification", listener: (notice: { readonly payload?: string | undefined }) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  once(event: "end", listener: () => void): unknown;
}

/** A connection that nobody else gets. */
export interface LoneClient extends DriverClient {
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

/** A connection of a pool. */
export interface PooledClient extends DriverClient {
  release(broken: boolean): void;
}

/** The driver's pool. */
export interface DriverPool {
  connect(): Promise<PooledClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** How the driver connects. */
export interface DriverConfig {
  readonly connectionString: string;
  readonly application_name: string;
  readonly keepAlive: boolean;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly pipeline: boolean;
}

/** How many connections a pool holds, and what each begins with. */
export interface PoolConfig extends DriverConfig {
  readonly max: number;
  readonly idleTimeoutMillis: number;
  onConnect(client: DriverClient): Promise<void>;
}

/** Knows whether code was called from inside a callback that was run in it. */
export interface CallScope {
  run<T>(inside: true, work: () => T): T;
  getStore(): true | undefined;
}

/** What the store needs of Node and of the driver, loaded when a store is opened and not before. */
export interface Driver {
  newPool(config: PoolConfig): DriverPool;
  newClient(config: DriverConfig): LoneClient;
  newScope(): CallScope;
}

/** @throws PostgresStoreError `driver_missing`. */
export async function loadDriver(): Promise<Driver> {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  try {
    const { default: pg } = await import("pg");
    const types = typesWith(pg.types);
    return {
      newPool: (config) => new pg.Pool({ ...config, types, Client: endingClient(pg.Client) }),
      newClient: (config) => new pg.Client({ ...config, types }),
      newScope: () => new AsyncLocalStorage<true>(),
    };
  } catch (cause) {
    throw new PostgresStoreError("driver_missing", 'the driver "pg" can\'t be loaded: install pg@^8.23', {
      details: { package: "pg", version: "^8.23.1" },
      cause,
    });
  }
}

type PgClient = typeof import("pg").Client;

/** A client of a pool that lets go of its socket when it can't connect: one whose password is missing would keep it for a minute. */
function endingClient(Client: PgClient): PgClient {
  return class extends Client {
    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      if (callback === undefined) return super.connect() as Promise<this>;
      super.connect((error: Error) => {
        if (error as Error | null) void this.end().catch(() => undefined);
        callback(error);
      });
      return undefined;
    }
  };
}

/** The driver's parsers, but `bigint` columns are numbers; one that no number can hold fails its query. */
function typesWith(types: typeof PgTypes): CustomTypesConfig {
  const parserOf: CustomTypesConfig["getTypeParser"] = (oid, format) =>
    oid === types.builtins.INT8 && format !== "binary" ? wholeNumber : types.getTypeParser(oid, format);
  return { getTypeParser: parserOf };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond what a number can hold`);
  return value;
}
