import type { AsyncLocalStorage } from "node:async_hooks";
import type { Client, ClientConfig, CustomTypesConfig, Pool, PoolConfig, types as PgTypes } from "pg";
import { PostgresStoreError } from "./store-error.ts";

/** What the store needs of Node and of the driver, loaded when a store is opened and not before. */
export interface Driver {
  newPool(config: PoolConfig): Pool;
  newClient(config: ClientConfig): Client;
  newScope(): AsyncLocalStorage<true>;
}

/** @throws PostgresStoreError `driver_missing`. */
export async function loadDriver(): Promise<Driver> {
  const { AsyncLocalStorage: Scope } = await import("node:async_hooks");
  try {
    const { default: pg } = await import("pg");
    const types = typesWith(pg.types);
    return {
      newPool: (config) => new pg.Pool({ ...config, types }),
      newClient: (config) => new pg.Client({ ...config, types }),
      newScope: () => new Scope(),
    };
  } catch (cause) {
    throw new PostgresStoreError("driver_missing", 'the driver "pg" can\'t be loaded: install pg@^8.23', {
      details: { package: "pg", version: "^8.23.1" },
      cause,
    });
  }
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
