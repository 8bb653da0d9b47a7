import { digestJson, sha256, type JsonValue } from "@basis/core";
import type { HookFailure, HookOutcome, Verdict } from "./hook-decision.ts";
import type { HookEvent, HookRequest } from "./hook-request.ts";
import type { ParticipantInfo, ParticipantRank } from "./interceptor.ts";

/** What one participant did to one call. */
export interface TrailEntry {
  readonly who: string;
  readonly name: string;
  readonly kind: "interceptor" | "hook";
  readonly rank: ParticipantRank;
  readonly shadow: boolean;
  /** `recheck`: asked again on the final input, after a participant of lower rank had changed it. */
  readonly mode: "decide" | "recheck";
  readonly decision: Verdict["decision"];
  readonly reason?: string;
  /** How long the answer took. */
  readonly ms: number;
  readonly failure?: HookFailure;
  /** Digests of what a `modify` or `replace` found and left; computed when first read. */
  readonly digestBefore?: string;
  readonly digestAfter?: string;
}

/** A participant of the chain that this call did not ask. */
export interface NotAsked {
  readonly who: string;
  readonly name: string;
  /** `filtered`: its event, tools or input filter left the call out; `ended`: the chain was denied before its turn. */
  readonly why: "filtered" | "ended";
}

/** Everything a chain did about one call and event. */
export interface CallRecord {
  readonly toolCallId: string;
  readonly event: HookEvent;
  readonly agentId: string;
  readonly toolName: string;
  /** What the chain answered, with its reason. */
  readonly decision: HookOutcome["decision"];
  readonly reason?: string;
  readonly ms: number;
  readonly asked: readonly TrailEntry[];
  readonly notAsked: readonly NotAsked[];
}

/** One answer as the chain notes it down. `before` is kept only when something was changed. */
export interface AnswerNote {
  readonly seat: ParticipantInfo;
  readonly mode: "decide" | "recheck";
  readonly verdict: Verdict;
  readonly ms: number;
  readonly before?: HookRequest | undefined;
}

/** One call as the chain notes it down; the record is written from it when somebody reads it. */
export interface CallNote extends Pick<CallRecord, "toolCallId" | "event" | "agentId" | "toolName" | "ms"> {
  readonly decision: HookOutcome["decision"];
  readonly reason: string | undefined;
  readonly answers: readonly AnswerNote[];
  /** The whole chain. */
  readonly seats: readonly ParticipantInfo[];
  /** Those of it that the event and tool filters let through, and how many of them had their turn. */
  readonly plan: readonly ParticipantInfo[];
  readonly reached: number;
}

/** A bounded memory of calls, oldest first. */
export class AuditTrail {
  readonly #size: number;
  #notes: CallNote[] = [];
  readonly #written = new WeakMap<CallNote, CallRecord>();

  constructor(size: number) {
    this.#size = size;
  }

  add(note: CallNote): void {
    if (this.#size === 0) return;
    this.#notes.push(note);
    if (this.#notes.length >= this.#size * 2) this.#notes = this.#notes.slice(-this.#size);
  }

  /** The record of a note, the same object whoever asks. */
  recordOf(note: CallNote): CallRecord {
    let record = this.#written.get(note);
    if (record === undefined) {
      record = writeRecord(note);
      this.#written.set(note, record);
    }
    return record;
  }

  records(): readonly CallRecord[] {
    return this.#size === 0 ? [] : this.#notes.slice(-this.#size).map((note) => this.recordOf(note));
  }
}

function writeRecord(note: CallNote): CallRecord {
  const { toolCallId, event, agentId, toolName, decision, reason, ms } = note;
  const asked = new Set(note.answers.map((answer) => answer.seat));
  const unreached = new Set(note.plan.slice(note.reached));
  const notAsked = note.seats
    .filter((seat) => !asked.has(seat))
    .map((seat): NotAsked => ({
      who: seat.who,
      name: seat.name,
      why: unreached.has(seat) ? "ended" : "filtered",
    }));
  return Object.freeze({
    toolCallId,
    event,
    agentId,
    toolName,
    decision,
    ...reasonOf({ reason }),
    ms,
    asked: Object.freeze(note.answers.map(writeEntry)),
    notAsked: Object.freeze(notAsked),
  });
}

function writeEntry(answer: AnswerNote): TrailEntry {
  const { seat, verdict, mode, ms, before } = answer;
  const { who, name, kind, rank, shadow } = seat;
  const facts = { who, name, kind, rank, shadow, mode, decision: verdict.decision, ms };
  switch (verdict.decision) {
    case "broken":
      return Object.freeze({ ...facts, failure: Object.freeze({ ...verdict.failure }) });
    case "modify":
      return withDigests({ ...facts, ...reasonOf(verdict) }, before?.input, verdict.input);
    case "replace": {
      const output = before?.event === "post_tool_use" ? before.output : undefined;
      return withDigests({ ...facts, ...reasonOf(verdict) }, output, verdict.output);
    }
    default:
      return Object.freeze({ ...facts, ...reasonOf(verdict) });
  }
}

function reasonOf({ reason }: { readonly reason?: string | undefined }): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function withDigests(facts: TrailEntry, before: JsonValue | undefined, after: JsonValue): TrailEntry {
  let digestBefore: string | undefined;
  let digestAfter: string | undefined;
  return Object.freeze(
    Object.defineProperties(
      { ...facts },
      {
        digestBefore: { enumerable: true, get: () => (digestBefore ??= digest(before ?? null)) },
        digestAfter: { enumerable: true, get: () => (digestAfter ??= digest(after)) },
      },
    ),
  );
}

/** A text with a lone surrogate has no canonical form; its escaped form is digested instead. */
function digest(value: JsonValue): string {
  try {
    return digestJson(value);
  } catch {
    return `sha256:${sha256(JSON.stringify(value))}`;
  }
}
