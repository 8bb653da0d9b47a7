import type { BasisEvent } from "../../src/events/event-schema.ts";
import type { SeenNumbers } from "./seen-numbers.ts";
import type { FilterKind } from "./row-filter.ts";

type Data<T extends BasisEvent["type"]> = Extract<BasisEvent, { type: T }>["data"];

/** Tokens of one node: its own, and its own with every child's. */
export type NodeUsage = Data<"run_finished">["usage"];
export type Tokens = NodeUsage["self"];

/** A number of an event in the log of its session. */
export type Seq = number;

/** Something that has a beginning and perhaps an end, in milliseconds since 1970. */
interface Timed {
  readonly startedAt: number;
  endedAt: number | undefined;
}

/** A session of the log. One that another's event names is there before its own log is read. */
export interface SessionNode {
  readonly id: string;
  agent: string | undefined;
  workspace: string | undefined;
  model: Data<"run_started">["model"] | undefined;
  /** The fork that made it. */
  origin: ForkNode | undefined;
  /** The call that started it. */
  parent: BasisEvent["parent"];
  /** The number of the event that was read last. */
  last: Seq;
  readonly seen: SeenNumbers;
  firstAt: number | undefined;
  lastAt: number | undefined;
  /** By their ids, in the order in which they began. */
  readonly runs: Map<string, RunNode>;
  /** By the ids of their messages. */
  readonly rounds: Map<string, RoundNode>;
  /** By their keys. */
  readonly calls: Map<string, CallNode>;
  /** Those that were made from it, by their operations. */
  readonly forks: Map<string, ForkNode>;
  readonly notes: NoteNode[];
  /** Its own messages: the place of each in the transcript, with its event. */
  readonly messages: Map<number, Seq>;
}

export type RunStatus = "running" | Data<"run_finished">["status"];

/** One turn of an agent: from what it was told to its end. */
export interface RunNode extends Timed {
  readonly kind: "run";
  readonly id: string;
  readonly session: SessionNode;
  agent: string;
  status: RunStatus;
  /** Why it ended as it did. */
  why: string | undefined;
  approvalId: string | undefined;
  usage: NodeUsage | undefined;
  /** The beginning of what it was told. */
  task: string;
  readonly rounds: RoundNode[];
  readonly notes: NoteNode[];
  readonly attempts: AttemptNode[];
  /** Until the next round is told: the usage that belongs to it, and when its model was asked. */
  nextUsage: Tokens | undefined;
  askedAt: number;
  /** What the model is saying just now; gone once it is told as a message. */
  live: string;
  /** The number of its first event. */
  readonly from: Seq;
  /** Its oldest rounds, where there were too many to keep. */
  folded: FoldedNode | undefined;
  /** Somebody wanted to see those: none is folded away any more. */
  isOpened: boolean;
}

/** The oldest rounds of a run in one: what they were is read again from its events when somebody opens it. */
export interface FoldedNode {
  readonly kind: "folded";
  readonly run: RunNode;
  /** The events that told of them: the first and the last number. */
  readonly from: Seq;
  to: Seq;
  rounds: number;
  calls: number;
  /** How many calls and notes of them are of each kind that can be asked for. */
  readonly kinds: Record<FilterKind, number>;
  usage: Tokens | undefined;
  readonly startedAt: number;
  endedAt: number;
}

/** One answer of the model. */
export interface RoundNode extends Timed {
  readonly kind: "round";
  readonly id: string;
  run: RunNode;
  readonly number: number;
  /** The beginning of its text. */
  readonly text: string;
  readonly finish: string;
  readonly row: number | undefined;
  /** Of its message; of the first event that told of it where that was not read. */
  readonly seq: Seq | undefined;
  readonly usage: Tokens | undefined;
  readonly calls: CallNode[];
}

/** What guards decided about a call, before or after it. */
export type HookVerdict = Data<"hook_decided">["decision"];

/** A call of a tool. What it holds in full is read from its events when somebody looks. */
export interface CallNode extends Timed {
  readonly kind: "call";
  readonly key: string;
  readonly id: string;
  readonly tool: string;
  readonly round: RoundNode;
  /** The beginning of its input. */
  summary: string;
  executedAt: number | undefined;
  isError: boolean;
  pre: HookVerdict | undefined;
  post: HookVerdict | undefined;
  /** A guard that could not answer. */
  broken: boolean;
  permission: Permission | undefined;
  childSession: string | undefined;
  attempt: AttemptNode | undefined;
  readonly events: Seq[];
}

/** A question about a call. */
export interface Permission {
  level: string | undefined;
  state: "asked" | Data<"permission_resolved">["decision"];
  by: string | undefined;
  reason: string | undefined;
  approvalId: string | undefined;
}

/** A judged answer of a typed turn. */
export interface AttemptNode {
  readonly number: number;
  readonly run: RunNode;
  call: CallNode | undefined;
  verdict: string;
  readonly events: Seq[];
}

export type ForkState = "committed" | "seated" | "unseated" | "refused";

/** A fork, or the try of one. */
export interface ForkNode {
  readonly kind: "fork";
  readonly key: string;
  readonly source: SessionNode;
  readonly member: string;
  readonly at: number;
  operation: string | undefined;
  target: string | undefined;
  /** How many messages it took along. */
  count: number | undefined;
  state: ForkState;
  recovered: boolean;
  message: string | undefined;
  readonly events: Seq[];
}

/** Something that was said beside the calls. */
export interface NoteNode {
  readonly kind: "note";
  readonly key: string;
  readonly type: BasisEvent["type"];
  readonly at: number;
  readonly text: string;
  readonly session: SessionNode;
  readonly seq: Seq | undefined;
}

/** How much was read, and what of it could not be. */
export interface Tally {
  events: number;
  /** Types that this page does not know, each with how often. */
  readonly unknown: Map<string, number>;
  broken: number;
  /** What could not be read first, and of a file in which line. */
  problem: string | undefined;
}

/** Everything that a log tells, as the page shows it. Grown by `fold` alone. */
export interface Model {
  readonly sessions: Map<string, SessionNode>;
  readonly tally: Tally;
  /** How many rounds, calls and notes of runs there are. */
  nodes: number;
  /** How many of them were too young to be folded away when somebody looked last. */
  staying: number;
  /** The rounds, the oldest first, where they may be folded away. */
  readonly oldest: RoundNode[] | undefined;
}

/** A model of nothing. */
export function emptyModel(oldest?: RoundNode[]): Model {
  return {
    nodes: 0,
    staying: 0,
    oldest,
    sessions: new Map(),
    tally: { events: 0, unknown: new Map(), broken: 0, problem: undefined },
  };
}

/** The session of a name, made when it is named first. */
export function sessionOf(model: Model, id: string): SessionNode {
  const known = model.sessions.get(id);
  if (known !== undefined) return known;
  const session: SessionNode = {
    id,
    agent: undefined,
    workspace: undefined,
    model: undefined,
    origin: undefined,
    parent: undefined,
    last: 0,
    seen: [],
    firstAt: undefined,
    lastAt: undefined,
    runs: new Map(),
    rounds: new Map(),
    calls: new Map(),
    forks: new Map(),
    notes: [],
    messages: new Map(),
  };
  model.sessions.set(id, session);
  return session;
}
