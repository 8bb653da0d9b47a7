import type { StoreUpkeep } from "@mobkit/session";
import { runCollection, runRebase } from "@mobkit/session/rules";
import { blobSteps } from "./collection-blobs.ts";
import { rowSteps } from "./collection-rows.ts";
import { readEpoch, readGeneration } from "./generation.ts";
import { rebaseSteps } from "./rebase.ts";
import { redactOnFile } from "./redaction.ts";
import type { StoreContext } from "./store-context.ts";
import type { SqliteTransaction } from "./store-sql.ts";
import { dropLeftImports } from "./transfer.ts";

/** The upkeep of a store file. */
export function sqliteUpkeep<M>(context: StoreContext<M>): StoreUpkeep<M, SqliteTransaction> {
  const { connection, clock } = context;
  const generation = (signal?: AbortSignal): Promise<number> =>
    connection.read(() => readGeneration(connection), signal);
  const steps = {
    ...rowSteps(context),
    ...blobSteps(context),
    epoch: () => connection.read(() => readEpoch(connection)),
  };
  return {
    collect: async (request = {}) => {
      request.signal?.throwIfAborted();
      if (request.dryRun !== true) {
        connection.refuseWrites();
        await context.commits.submit(() => dropLeftImports(connection, clock.now()), request.signal);
      }
      return runCollection(steps, request, clock);
    },
    redact: (request) => redactOnFile(context, request),
    rebase: async (request = {}) => {
      request.signal?.throwIfAborted();
      return runRebase(rebaseSteps(context), request);
    },
    generation: (options = {}) => generation(options.signal),
  };
}
