import { isUtf8 } from "node:buffer";
import { describe, expect, it } from "vitest";
import type { HookAnswer, HookEvent } from "../../src/index.ts";
import { judgeAnswer } from "../../src/hook-decision.ts";
import { decodePrinted } from "../../src/node/printed-answer.ts";
import { decodeWorkerLine } from "../../src/node/worker-line.ts";
import { ANSWERS, LINES } from "./answer-corpus.ts";
import { campaignSize, CAMPAIGN_TIMEOUT_MS, reproduction } from "./campaign-size.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import { agree, referenceLine, referenceOutput, type ReferenceAnswer } from "./reference-answer.ts";

const EVENTS: readonly HookEvent[] = ["pre_tool_use", "post_tool_use"];
const { seed, from, runs } = campaignSize(200_000);

/** Reads bytes as an answer; undefined for none. */
type Reader = (bytes: Buffer) => HookAnswer | undefined;

/** What a one-shot hook answers with these bytes. */
const product: Reader = (bytes) => {
  const read = decodePrinted({ text: bytes.toString("utf8"), exact: isUtf8(bytes) });
  return read.ok ? read.answer : undefined;
};

/** Throws when a reader and the reference differ on whether there is an answer, on its decision or on its payload. */
function compare(reader: Reader, bytes: Buffer): string {
  const reference = referenceOutput(bytes);
  const answer = reader(bytes);
  for (const event of EVENTS) {
    const verdict = answer && judgeAnswer(answer, event);
    if (!agree(verdict, effective(reference, event))) {
      throw new Error(`${event}: ${JSON.stringify({ verdict, reference })}`);
    }
  }
  return reference?.decision ?? "broken";
}

/** The answer that the reference lets stand for an event. */
function effective(answer: ReferenceAnswer | undefined, event: HookEvent): ReferenceAnswer | undefined {
  const misplaced = event === "pre_tool_use" ? "replace" : "modify";
  return answer?.decision === misplaced ? undefined : answer;
}

/** True for what too few cases came to, where there were enough of them. */
function isRare(tally: ReadonlyMap<string, number>, kind: string, count: number): boolean {
  return count >= 10_000 && (tally.get(kind) ?? 0) < count / 200;
}

/** Tries cases until one is wrong; answers how many came to what, or throws with the case and how to repeat it. */
function tryAll(
  count: number,
  corpus: readonly string[],
  judge: (bytes: Buffer) => string,
): Map<string, number> {
  const tally = new Map<string, number>();
  for (let index = from; index < from + count; index += 1) {
    const bytes = mutate(corpus, new Random(seed, index));
    let seen: string;
    try {
      seen = judge(bytes);
    } catch (cause) {
      const shown = JSON.stringify(bytes.toString("latin1"));
      throw new Error(`case ${index}: ${shown}\n${reproduction("hook-answers", seed, index)}`, { cause });
    }
    tally.set(seen, (tally.get(seen) ?? 0) + 1);
  }
  console.log(`seed ${seed}, from ${from}, ${count} cases: ${JSON.stringify(Object.fromEntries(tally))}`);
  return tally;
}

describe("what a one-shot hook prints", () => {
  it(
    "is an answer only where an independent reader finds the same one, and always where it does",
    () => {
      const tally = tryAll(runs, ANSWERS, (bytes) => compare(product, bytes));
      const kinds = ["allow", "deny", "modify", "replace", "broken"];
      expect(kinds.filter((kind) => isRare(tally, kind, runs))).toEqual([]);
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});

describe("a reader with a fault is found out", () => {
  const lax = (text: string): HookAnswer | undefined => {
    try {
      const { decision, reason, input, output, is_error: isError } = JSON.parse(text);
      const answer = { decision, reason, input, output, isError } as HookAnswer;
      return ["allow", "deny", "modify", "replace"].includes(decision) ? answer : undefined;
    } catch {
      return undefined;
    }
  };
  const text = (bytes: Buffer): string => bytes.toString("utf8");
  const faults: readonly (readonly [string, Reader])[] = [
    ["takes the later of two keys", (bytes) => product(bytes) ?? lax(text(bytes))],
    ["skips a byte order mark", (bytes) => product(Buffer.from(text(bytes).replace(/^\uFEFF/, "")))],
    [
      "skips log lines before the JSON",
      (bytes) => product(Buffer.from(text(bytes).replace(/^[^{\n]*\n/, ""))),
    ],
    [
      "ends at the first document",
      (bytes) => product(Buffer.from(text(bytes).replace(/(?<=^\{[^{}]*\}).*$/s, ""))),
    ],
    ["puts characters in place of wrong bytes", (bytes) => product(Buffer.from(text(bytes)))],
    ["skips a NUL", (bytes) => product(Buffer.from(text(bytes).replaceAll("\0", "")))],
    [
      "knows decisions in capitals",
      (bytes) => product(Buffer.from(text(bytes).replace(/"ALLOW"/, '"allow"'))),
    ],
    ["refuses what it does not know", (bytes) => (text(bytes).includes("note") ? undefined : product(bytes))],
    ["drops the sign of zero", (bytes) => product(Buffer.from(text(bytes).replaceAll("-0}", "0}")))],
  ];

  it.each(faults)("one that %s", (_what, reader) => {
    expect(() => tryAll(50_000, ANSWERS, (bytes) => compare(reader, bytes))).toThrow(/^case \d+: /);
  });
});

describe("a line of a worker", () => {
  it(
    "is a hello or an answer only where an independent reader finds the same, and always where it does",
    () => {
      const count = Math.ceil(runs / 4);
      const tally = tryAll(count, LINES, (bytes) => {
        const reference = referenceLine(bytes);
        const found = decodeWorkerLine(bytes);
        const agreed =
          found.kind === "answer" && reference.kind === "answer"
            ? found.id === reference.id &&
              agree(found.check.ok ? found.check.answer : undefined, reference.answer)
            : found.kind === reference.kind;
        if (!agreed) throw new Error(JSON.stringify({ found, reference }));
        return reference.kind;
      });
      expect(["hello", "answer", "foreign"].filter((kind) => isRare(tally, kind, count))).toEqual([]);
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});
