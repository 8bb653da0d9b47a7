import { StartError } from "../config/start-error.ts";
import { STORE_VARIABLE } from "../config/store-place.ts";
import type { HostState } from "../store/open-state.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** How the queue of a database is opened. */
export interface QueueOptions {
  /** Told what the engine has trouble with. */
  readonly report?: ((text: string) => void) | undefined;
  /** How often a worker looks after what others hold. */
  readonly sweepMs?: number | undefined;
}

/**
 * The queue that lies in a state's database. The engine is loaded here, and nowhere without one.
 *
 * @throws StartError `store` for a state in files, and for an engine that is missing or does not answer.
 */
export async function openQueue(
  { database }: Pick<HostState, "database">,
  options: QueueOptions = {},
): Promise<TurnQueue> {
  if (database === undefined)
    throw new StartError("store", [
      `a queue for several processes lies in a database: set ${STORE_VARIABLE}=postgres://…; without one, 'basis run' and 'basis serve' run turns themselves`,
    ]);
  const { openEngineQueue } = await import("./engine/engine-queue.ts");
  const { store, url } = database;
  const { report, sweepMs } = options;
  try {
    return await openEngineQueue({
      report,
      url,
      schema: `${store.schema}_queue`,
      ...(sweepMs && { sweepMs }),
    });
  } catch (error) {
    throw new StartError("store", [(error as Error).message], error);
  }
}
