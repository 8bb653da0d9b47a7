import { systemClock } from "@basis/core";
import type { StoreUpkeep } from "@mobkit/session";
import { runCollection, runRebase } from "@mobkit/session/rules";
import { blobSteps } from "./collection-blobs.ts";
import { rowSteps } from "./collection-rows.ts";
import { readEpoch, readGeneration } from "./generation.ts";
import type { PostgresTransaction } from "./lent-sql.ts";
import { rebaseSteps } from "./rebase.ts";
import { redactInStore } from "./redaction.ts";
import type { StoreContext } from "./store-context.ts";
import { dropLeftImports } from "./transfer.ts";

/** The upkeep of a store. Any process may do it, beside every other call of every other process. */
export function postgresUpkeep<M>(context: StoreContext<M>): StoreUpkeep<M, PostgresTransaction> {
  const { transactions, time } = context;
  const clock = { ...systemClock, now: () => time.estimate() };
  const steps = {
    ...rowSteps(context),
    ...blobSteps(context),
    epoch: () => transactions.read(readEpoch),
  };
  return {
    collect: async (request = {}) => {
      request.signal?.throwIfAborted();
      if (request.dryRun !== true)
        await transactions.write(
          async (sql) => ({ answer: undefined, writes: await dropLeftImports(sql, time) }),
          request.signal,
        );
      return runCollection(steps, request, clock);
    },
    redact: async (request) => redactInStore(context, request),
    rebase: async (request = {}) => {
      request.signal?.throwIfAborted();
      return runRebase(rebaseSteps(context), request);
    },
    generation: (options = {}) => transactions.read(readGeneration, options.signal),
  };
}
