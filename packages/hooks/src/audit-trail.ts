import { digestJson, sha256, type JsonValue } from "@basis/core";
import type { HookFailure, HookOutcome, Verdict } from "./hook-decision.ts";
import type { HookEvent } from "./hook-request.ts";
import type { ParticipantInfo, ParticipantRank } from "./participant.ts";

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
  readonly reason?: string | undefined;
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
  /** `filtered`: its event, tools, effect or input filter left the call out; `ended`: the chain was denied before its turn. */
  readonly why: "filtered" | "ended";
}

/** The call and event that a record is about. */
export interface CallSubject {
  readonly toolCallId: string;
  readonly event: HookEvent;
  readonly agentId: string;
  readonly toolName: string;
}

/** Everything a chain did about one call and event. */
export interface CallRecord extends CallSubject {
  /** What the chain answered, with its reason. */
  readonly decision: HookOutcome["decision"];
  readonly reason?: string | undefined;
  readonly ms: number;
  readonly asked: readonly TrailEntry[];
  readonly notAsked: readonly NotAsked[];
}

/** One answer as the chain notes it down. `before` is the input or output that a change replaced. */
export interface AnswerNote {
  readonly seat: ParticipantInfo;
  readonly mode: "decide" | "recheck";
  readonly verdict: Verdict;
  readonly ms: number;
  readonly before?: JsonValue | undefined;
}

/** One call as the chain notes it down; the record is written from it when somebody reads it. */
export interface CallNote {
  readonly subject: CallSubject;
  readonly decision: HookOutcome["decision"];
  readonly reason: string | undefined;
  readonly ms: number;
  readonly answers: readonly AnswerNote[];
  /** The whole chain. */
  readonly seats: readonly ParticipantInfo[];
  /** Those of it that would have had their turn, had the chain not ended. */
  readonly unreached: readonly ParticipantInfo[];
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

function writeRecord({ subject, decision, reason, ms, answers, seats, unreached }: CallNote): CallRecord {
  const asked = new Set(answers.map((answer) => answer.seat));
  const notAsked = seats
    .filter((seat) => !asked.has(seat))
    .map((seat): NotAsked => ({
      who: seat.who,
      name: seat.name,
      why: unreached.includes(seat) ? "ended" : "filtered",
    }));
  return Object.freeze({
    ...subject,
    decision,
    reason,
    ms,
    asked: Object.freeze(answers.map(writeEntry)),
    notAsked: Object.freeze(notAsked),
  });
}

function writeEntry({ seat, verdict, mode, ms, before = null }: AnswerNote): TrailEntry {
  const { who, name, kind, rank, shadow } = seat;
  const facts = { who, name, kind, rank, shadow, mode, decision: verdict.decision, ms };
  if (verdict.decision === "broken") return Object.freeze({ ...facts, failure: verdict.failure });
  const signed = { ...facts, reason: verdict.reason };
  if (verdict.decision === "modify") return withDigests(signed, before, verdict.input);
  if (verdict.decision === "replace") return withDigests(signed, before, verdict.output);
  return Object.freeze(signed);
}

function withDigests(facts: TrailEntry, before: JsonValue, after: JsonValue): TrailEntry {
  let digestBefore: string | undefined;
  let digestAfter: string | undefined;
  return Object.freeze({
    ...facts,
    get digestBefore() {
      return (digestBefore ??= digest(before));
    },
    get digestAfter() {
      return (digestAfter ??= digest(after));
    },
  });
}

/** A text with a lone surrogate has no canonical form; its escaped form is digested instead. */
function digest(value: JsonValue): string {
  try {
    return digestJson(value);
  } catch {
    return `sha256:${sha256(JSON.stringify(value))}`;
  }
}
