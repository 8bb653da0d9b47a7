import { newId } from "@basis/core";
import type { OutputSpec } from "@basis/typed-output";
import { settleSession } from "../host/run-persona.ts";
import type { RunRequest } from "../host/prepare-run.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import { wordsOf, type PromptInput } from "../images/prompt.ts";
import { secrets } from "../secrets/secrets.ts";
import type { HostState } from "../store/open-state.ts";
import { queuedImages } from "./queued-images.ts";
import { queuedOutput } from "./queued-output.ts";
import type { NewTurn, QueuedBounds, QueuedTurn, TurnFit } from "./queued-turn.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** The realm of turns that name none. */
export const DEFAULT_REALM = "default";

/** A turn as somebody asks for it. */
export interface TurnWish extends Pick<RunRequest, "sessionId" | "session" | "agent" | "member"> {
  /** Absent: the session goes on where it waits. */
  readonly prompt?: PromptInput | undefined;
  readonly realm?: string | undefined;
  /** Absent: it answers in prose. */
  readonly output?: OutputSpec<unknown> | undefined;
  /** `provider/model`; absent: the agent's own, else the worker's. */
  readonly model?: string | undefined;
  readonly bounds?: QueuedBounds | undefined;
}

/** Where turns are queued from. */
export interface QueuePlace {
  readonly queue: TurnQueue;
  readonly state: HostState;
  readonly workspace: WorkspaceFacts;
  readonly fit: TurnFit;
}

/**
 * Queues a turn, in a session or in a new one that is begun here, so that whoever asked can follow it.
 *
 * @throws StartError as `runPersona`. @throws QueueError as `enqueue`.
 */
export async function queueTurn(place: QueuePlace, wish: TurnWish): Promise<QueuedTurn> {
  const { queue, state, workspace, fit } = place;
  const { prompt, realm = DEFAULT_REALM, bounds = {}, output, model } = wish;
  const { session } = await settleSession(state.store, workspace.agents, wish);
  const turn = { id: newId(), sessionId: session.id, realm, fit, bounds, from: session.len };
  const said = prompt === undefined ? undefined : secrets.redact(wordsOf(prompt));
  const shown = typeof prompt === "object" ? await queuedImages(prompt.images, state.store.blobs) : undefined;
  return queue.enqueue({
    ...turn,
    ...asked({ prompt: said, images: shown, output: output && queuedOutput(output), model }),
  });
}

/**
 * Queues a turn that is dead anew, as what this folder's host is: with its prompt if the session never got it, else to go
 * on from its last row. The dead one is forgotten.
 */
export async function queueAgain(place: QueuePlace, dead: QueuedTurn): Promise<QueuedTurn> {
  const { queue, state, fit } = place;
  const { id, sessionId, realm, bounds, output, model } = dead;
  const { len, baseLen } = await state.store.head(sessionId);
  const wasBegun = await hasRowsOf(state, dead, Math.max(baseLen, Math.min(dead.from, len)));
  const turn = { id: newId(), sessionId, realm, fit, bounds, from: len };
  const { prompt, images } = wasBegun ? {} : dead;
  const left = asked({ prompt, images, output, model });
  const again = await queue.enqueue({ ...turn, ...left });
  await queue.drop(id);
  return again;
}

type Asked = Pick<NewTurn, "prompt" | "images" | "output" | "model">;

/** What was asked for, without what was not: a queued turn is JSON. */
function asked({
  prompt,
  images,
  output,
  model,
}: { readonly [Fact in keyof Asked]: Asked[Fact] | undefined }): Asked {
  return {
    ...(prompt !== undefined && { prompt }),
    ...(images && { images }),
    ...(output && { output }),
    ...(model !== undefined && { model }),
  };
}

async function hasRowsOf(
  { store }: HostState,
  { id, sessionId }: QueuedTurn,
  from: number,
): Promise<boolean> {
  for await (const { turnId } of store.read(sessionId, { from })) if (turnId === id) return true;
  return false;
}
