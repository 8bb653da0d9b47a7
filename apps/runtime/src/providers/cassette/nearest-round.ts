import { canonicalJson, visibleText } from "@basis/core";
import { sharedLength } from "./cassette-recorder.ts";
import type { RecordedRound } from "./read-cassette.ts";
import type { CanonicalRequest } from "./recorded-request.ts";

/** The recorded round that is most like a request, and the first thing that differs. */
export interface NearestRound {
  readonly round: number;
  readonly line: number;
  /** `agent`, `model`, `system`, `tools`, `messages/3`, `tool_choice` … */
  readonly field: string;
  /** What it was, and what it is now. */
  readonly difference: string;
}

/** Undefined when nothing was recorded. */
export function nearestRound(
  rounds: readonly RecordedRound[],
  asked: CanonicalRequest,
): NearestRound | undefined {
  let nearest: RecordedRound | undefined;
  let best = -1;
  for (const round of rounds) {
    const likeness = likenessOf(round, asked);
    if (likeness <= best) continue;
    nearest = round;
    best = likeness;
  }
  if (nearest === undefined) return undefined;
  const { round, line } = nearest;
  return { round, line, ...firstDifference(nearest, asked) };
}

/** The same agent counts most, then each message from the first on that is the same, then the rest. */
function likenessOf({ head, digests, asks }: RecordedRound, asked: CanonicalRequest): number {
  const shared = sharedLength(digests, asked.digests);
  const isAsLong = digests.length === asked.digests.length;
  const rest = [isAsLong, same(head, asked.head), same(asks, asked.asks)].filter(Boolean).length;
  return (head.agent === asked.head.agent ? 1e9 : 0) + shared * 4 + rest;
}

function firstDifference(
  recorded: RecordedRound,
  asked: CanonicalRequest,
): Pick<NearestRound, "field" | "difference"> {
  for (const field of ["agent", "model", "system"] as const) {
    const [was, is] = [recorded.head[field], asked.head[field]];
    if (!same(was, is)) return { field, difference: inWords(was, is) };
  }
  if (!same(recorded.head.tools, asked.head.tools))
    return { field: "tools", difference: toolsInWords(recorded.head.tools, asked.head.tools) };
  const index = sharedLength(recorded.digests, asked.digests);
  if (index < Math.max(recorded.digests.length, asked.digests.length)) {
    const [was, is] = [recorded.messages[index], asked.messages[index]];
    return { field: `messages/${index}`, difference: inWords(was, is) };
  }
  const names = [...new Set([...Object.keys(recorded.asks), ...Object.keys(asked.asks)])];
  const field = names.find((name) => !same(recorded.asks[name], asked.asks[name])) ?? "request";
  return { field, difference: inWords(recorded.asks[field], asked.asks[field]) };
}

type Tools = RecordedRound["head"]["tools"];

function toolsInWords(was: Tools, is: Tools): string {
  const before = new Map(was.map((tool) => [nameOf(tool), tool]));
  const now = new Map(is.map((tool) => [nameOf(tool), tool]));
  const gone = [...before.keys()].filter((name) => !now.has(name)).map((name) => `${name} is gone`);
  const added = [...now.keys()].filter((name) => !before.has(name)).map((name) => `${name} is new`);
  const changed = [...now]
    .filter(([name, tool]) => before.has(name) && !same(before.get(name), tool))
    .map(([name]) => `${name} is defined otherwise`);
  return visibleText([...gone, ...added, ...changed].join(", ") || "they stand in another order");
}

function nameOf({ name }: Tools[number]): string {
  return typeof name === "string" ? name : "";
}

function same(some: unknown, others: unknown): boolean {
  return textOf(some) === textOf(others);
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : canonicalJson(value);
}

const AROUND = 60;

/** Both sides from a little before the first character that differs. */
function inWords(was: unknown, is: unknown): string {
  const [before, now] = [textOf(was), textOf(is)];
  let at = 0;
  while (at < before.length && before[at] === now[at]) at += 1;
  const from = Math.max(0, at - AROUND / 3);
  return `recorded ${excerpt(before, from)}, asked ${excerpt(now, from)}`;
}

function excerpt(text: string, from: number): string {
  const end = from + AROUND;
  return visibleText(`${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`);
}
