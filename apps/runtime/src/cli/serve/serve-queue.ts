import { parseModelRef } from "@basis/core";
import { configDirectory, dataDirectory } from "../../config/data-dir.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { turnFit } from "../../queue/turn-fit.ts";
import { QueuedTurns } from "../../rpc/queued-turns.ts";
import type { CommandContext } from "../arguments/command.ts";
import type { Host } from "../open-host.ts";
import { warn } from "../terminal/output-format.ts";
import type { ServeGiven } from "./serve-options.ts";

/** The turns of a server that queues them, and the queue that is closed with it. */
export interface QueuedServing {
  readonly turns: QueuedTurns;
  close(): Promise<void>;
}

/** Opens the queue of a server's state. @throws StartError `store` */
export async function openQueuedTurns(
  { state, workspace }: Host,
  { model, realm }: Pick<ServeGiven, "model" | "realm">,
  context: Pick<CommandContext, "env"> & {
    readonly signal: AbortSignal;
    readonly report: (method: string, error: unknown) => void;
  },
): Promise<QueuedServing> {
  const { env, signal, report } = context;
  const place = { configDir: configDirectory(env), dataDir: dataDirectory(env), env, signal };
  const queue = await openQueue(state, { report: warn });
  const turns = new QueuedTurns({
    state,
    queue,
    workspace,
    fit: (facts) => turnFit(facts, place),
    realm,
    model: model === undefined ? undefined : parseModelRef(model),
    report: (error) => report("queue", error),
  });
  return { turns, close: () => queue.close() };
}
