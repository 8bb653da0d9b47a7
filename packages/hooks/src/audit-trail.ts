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
  /** The input that a `modify` left. Not enumerable: it does not travel with the record's JSON. */
  readonly inputAfter?: JsonValue;
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

/** One call as the chain notes it down. */
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
  /** Written when somebody reads it, and the same for everybody. */
  record: CallRecord | undefined;
}

/** The record of a call. */
export function recordOf(note: CallNote): CallRecord {
  return (note.record ??= writeRecord(note));
}

/** A bounded memory of calls, oldest first. */
export class AuditTrail {
  readonly #size: number;
  readonly #notes: CallNote[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  add(note: CallNote): void {
    this.#notes.push(note);
    if (this.#notes.length > this.#size * 2) this.#notes.splice(0, this.#notes.length - this.#size);
  }

  records(): readonly CallRecord[] {
    return this.#notes.slice(Math.max(0, this.#notes.length - this.#size)).map(recordOf);
  }
}

/** Written out member by member: a spread costs twenty times as much, and a sink may read every record. */
function writeRecord(note: CallNote): CallRecord {
  const { subject, decision, reason, ms, answers } = note;
  const { toolCallId, event, agentId, toolName } = subject;
  const asked = Object.freeze(answers.map(writeEntry));
  const notAsked = Object.freeze(leftOut(note));
  return Object.freeze({ toolCallId, event, agentId, toolName, decision, reason, ms, asked, notAsked });
}

function leftOut({ answers, seats, unreached }: CallNote): readonly NotAsked[] {
  const left: NotAsked[] = [];
  for (const seat of seats) {
    if (wasAsked(seat, answers)) continue;
    const { who, name } = seat;
    left.push(Object.freeze<NotAsked>({ who, name, why: unreached.includes(seat) ? "ended" : "filtered" }));
  }
  return left;
}

function wasAsked(seat: ParticipantInfo, answers: readonly AnswerNote[]): boolean {
  for (const answer of answers) if (answer.seat === seat) return true;
  return false;
}

function writeEntry({ seat, verdict, mode, ms, before = null }: AnswerNote): TrailEntry {
  const { who, name, kind, rank, shadow } = seat;
  const { decision } = verdict;
  const entry: { -readonly [Key in keyof TrailEntry]: TrailEntry[Key] } = {
    who,
    name,
    kind,
    rank,
    shadow,
    mode,
    decision,
    ms,
  };
  if (decision === "broken") entry.failure = verdict.failure;
  else entry.reason = verdict.reason;
  if (decision === "modify") {
    addDigests(entry, before, verdict.input);
    Object.defineProperty(entry, "inputAfter", { value: verdict.input });
  }
  if (decision === "replace") addDigests(entry, before, verdict.output);
  return Object.freeze(entry);
}

function addDigests(entry: TrailEntry, before: JsonValue, after: JsonValue): void {
  Object.defineProperties(entry, {
    digestBefore: digestOnDemand(before),
    digestAfter: digestOnDemand(after),
  });
}

function digestOnDemand(value: JsonValue): PropertyDescriptor {
  let digest: string | undefined;
  return { enumerable: true, get: () => (digest ??= digestOf(value)) };
}

/** A text with a lone surrogate has no canonical form; its escaped form is digested instead. */
function digestOf(value: JsonValue): string {
  try {
    return digestJson(value);
  } catch {
    return `sha256:${sha256(JSON.stringify(value))}`;
  }
}
