import type { DBOSClient, WorkflowQueue } from "@dbos-inc/dbos-sdk";
import { queueOf, realmOf } from "./engine-turns.ts";

/** How often workers look for new turns: half of it is the dispatch's share of a turn's wait. */
const POLL_MS = 50;
/** What a worker claims at once of a realm that was there before any worker. */
const FIRST_CONCURRENCY = 4;

/** Sees to it that a realm has its queue: one turn at a time in a session. */
export async function registerRealm(client: DBOSClient, realm: string): Promise<void> {
  const name = queueOf(realm);
  if ((await client.retrieveQueue(name)) !== null) return;
  const register = (): Promise<WorkflowQueue> =>
    client.registerQueue(name, {
      partitionConcurrency: 1,
      workerConcurrency: FIRST_CONCURRENCY,
      minPollingIntervalMs: POLL_MS,
      onConflict: "never_update",
    });
  // Its answer may be lost on the way; the engine's client asks again for everything but this.
  await register().catch(register);
}

/** The limits of the realms that have one. */
export async function realmLimits(client: DBOSClient): Promise<ReadonlyMap<string, number>> {
  const limits = new Map<string, number>();
  for (const queue of await client.listQueues()) {
    const realm = realmOf(queue.name);
    if (realm !== undefined && queue.concurrency !== undefined) limits.set(realm, queue.concurrency);
  }
  return limits;
}

/** Sets a realm's limit. No worker may claim more than that, nor the realm's limit be less than a worker's. */
export async function setRealmLimit(
  client: DBOSClient,
  realm: string,
  limit: number | undefined,
): Promise<void> {
  await registerRealm(client, realm);
  const queue = (await client.retrieveQueue(queueOf(realm)))!;
  const own = queue.workerConcurrency ?? FIRST_CONCURRENCY;
  if (limit !== undefined && own > limit) await queue.setWorkerConcurrency(limit);
  await queue.setGlobalConcurrency(limit);
}

/** What one worker may claim of each realm. It is the same for all workers: the last that began has set it. */
export async function setWorkerConcurrency(client: DBOSClient, concurrency: number): Promise<void> {
  const queues = (await client.listQueues()).filter(({ name }) => realmOf(name) !== undefined);
  await Promise.all(queues.map((queue) => setFor(queue, concurrency)));
}

async function setFor(queue: WorkflowQueue, concurrency: number): Promise<void> {
  const wanted = Math.min(concurrency, queue.concurrency ?? Infinity);
  if (queue.workerConcurrency !== wanted) await queue.setWorkerConcurrency(wanted);
}
