import { digestJson, parseModelRef, type JsonSchema, type RunOutcome } from "@basis/core";
import { MAX_IMAGES } from "../images/image.ts";
import { QueueError } from "./queue-error.ts";

/** What a turn needs of the worker that runs it: digests of what would guard and equip it. */
export interface TurnFit {
  /** Of all the others; two workers with the same one may run each other's turns. */
  readonly digest: string;
  readonly parts: FitParts;
}

/** The single facts, each by name, so that a refusal can say which one differs. */
export interface FitParts {
  /** How queued turns are written; a release that writes them otherwise counts it up. */
  readonly format: number;
  /** The releases that may run each other's turns. */
  readonly release: string;
  readonly workspace: string;
  /** Digest of the guards in their order, with all that is in force of them. */
  readonly guards: string;
  /** Digest of what delegated agents may be. */
  readonly policy: string;
  /** Digest of which tools there are. */
  readonly roster: string;
  /** Digest of how those tools are defined. */
  readonly tools: string;
  /** Digest of the AGENTS.md files that stand in the system text, in their order. */
  readonly context: string;
  /** Digest of the skills that agents may load, with every file of theirs. */
  readonly skills: string;
}

/** Bounds of a queued turn; see the run's own. */
export interface QueuedBounds {
  readonly deadlineMs?: number;
  readonly toolBudget?: number;
  readonly tokenBudget?: number;
}

/** The value that a queued turn answers with. */
export interface QueuedOutput {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly withTools: boolean;
  /** Of all the others: a worker runs what was queued, or nothing. */
  readonly digest: string;
}

/** An image that a queued turn shows; its bytes are a blob of the store, and what they are they say themselves. */
export interface QueuedImage {
  readonly digest: string;
  readonly name?: string;
}

/** A turn to be queued. Everything is JSON. */
export interface NewTurn {
  /** Minted by whoever queues it, and the run's id. Given again with the same content, it is the same turn. */
  readonly id: string;
  readonly sessionId: string;
  /** Whose turn it is, for fairness: a short name. */
  readonly realm: string;
  readonly fit: TurnFit;
  /** Absent: the session goes on where it waits. */
  readonly prompt?: string;
  /** Shown with the prompt; absent: none. */
  readonly images?: readonly QueuedImage[];
  /** Absent: it answers in prose. */
  readonly output?: QueuedOutput;
  /** `provider/model`; absent: the agent's own, else the worker's. */
  readonly model?: string;
  readonly bounds: QueuedBounds;
  /** The session's length when the turn was queued: rows of the turn lie behind it. */
  readonly from: number;
}

/** `dead`: it could not be run, or was given up; `reason` says why. */
export type TurnState = "waiting" | "running" | "ended" | "dead" | "cancelled";

/** A turn as the queue knows it. */
export interface QueuedTurn extends NewTurn {
  readonly state: TurnState;
  /** Milliseconds since the epoch. */
  readonly queuedAt: number;
  /** How the run ended; of one that ended only. */
  readonly outcome?: RunOutcome;
  readonly reason?: string;
  /** The worker that runs it, or ran it last. */
  readonly worker?: string;
}

/** True for a turn that neither waits nor runs. */
export function isOver({ state }: Pick<QueuedTurn, "state">): boolean {
  return state !== "waiting" && state !== "running";
}

/** A realm's name: 1 to 64 letters, digits, dots, dashes and underscores. */
const REALM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Of a prompt, and of a schema. */
const MAX_BYTES = 1_000_000;

/** @throws QueueError `invalid_turn` */
export function checkTurn({ id, sessionId, realm, prompt = "", images = [], output, model }: NewTurn): void {
  const problems = [
    id === "" && "it has no id",
    sessionId === "" && "it names no session",
    !REALM.test(realm) &&
      `${JSON.stringify(realm)} is no name of a realm: 1 to 64 letters, digits, dots, dashes and underscores`,
    Buffer.byteLength(prompt) > MAX_BYTES && `its prompt has more than ${MAX_BYTES} bytes`,
    images.length > MAX_IMAGES && `it has more than ${MAX_IMAGES} images`,
    Buffer.byteLength(JSON.stringify({ output })) > MAX_BYTES &&
      `its schema has more than ${MAX_BYTES} bytes`,
    model !== undefined &&
      parseModelRef(model) === undefined &&
      `${JSON.stringify(model)} is no model that a worker can open: write provider/model`,
  ].filter((problem) => typeof problem === "string");
  const [reason] = problems;
  if (reason === undefined) return;
  throw new QueueError("invalid_turn", `this turn cannot be queued: ${problems.join("; ")}`, {
    details: { reason },
  });
}

/** What an id stands for. */
export function turnDigest(turn: NewTurn): string {
  const { id, sessionId, realm, fit, prompt, images, output, model, bounds, from } = turn;
  const content = {
    id,
    sessionId,
    realm,
    fit: fit.digest,
    bounds,
    from,
    ...(prompt !== undefined && { prompt }),
    ...(images !== undefined && { images }),
    ...(output !== undefined && { output: output.digest }),
    ...(model !== undefined && { model }),
  };
  return digestJson(content);
}
