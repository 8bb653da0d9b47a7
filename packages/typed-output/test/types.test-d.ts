import type { JsonSchema, JsonValue, RunReport } from "@basis/core";
import { z } from "zod";
import {
  defineOutput,
  output,
  runOutput,
  type FromJsonSchema,
  type OutputAttempt,
  type OutputSpec,
  type TurnRunner,
} from "../src/index.ts";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Expect<T extends true> = T;
type ValueOf<Spec> = Spec extends OutputSpec<infer T> ? T : never;

declare const runner: TurnRunner;
declare const wide: JsonSchema;

// case 70: T from zod 4
const byZod = defineOutput({
  name: "z",
  description: "",
  schema: z.object({ n: z.string().transform(Number) }),
});
export type Check1 = Expect<Same<ValueOf<typeof byZod>, { n: number }>>;

// case 70: T from a raw schema written as a literal
const byLiteral = defineOutput({
  name: "l",
  description: "",
  schema: {
    type: "object",
    properties: {
      id: { type: "integer" },
      state: { enum: ["open", "closed"] },
      tags: { type: "array", items: { type: "string" } },
      owner: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["id", "state"],
  },
});
type Literal = { id: number; state: "open" | "closed"; tags?: string[]; owner?: string | null };
export type Check2 = Expect<Same<ValueOf<typeof byLiteral>, Literal>>;
export type Check3 = Expect<
  Same<FromJsonSchema<{ readonly type: readonly ["string", "null"] }>, string | null>
>;
export type Check4 = Expect<Same<FromJsonSchema<{ readonly const: 3 }>, 3>>;
export type Check5 = Expect<Same<FromJsonSchema<true>, JsonValue>>;

// any other schema is JSON, or what the caller says
const byWide = defineOutput({ name: "w", description: "", schema: wide });
export type Check6 = Expect<Same<ValueOf<typeof byWide>, JsonValue>>;
interface Named {
  total: number;
}
const byHand = defineOutput<Named>({ name: "h", description: "", schema: wide });
export type Check7 = Expect<Same<ValueOf<typeof byHand>, Named>>;

// the value keeps its type
export async function typed(): Promise<number> {
  const { value, report } = await output(runner, byZod, "go");
  report satisfies Same<typeof report, RunReport> extends true ? RunReport : never;
  const attempt = await runOutput(runner, byHand.withTools(), "go", { attempts: 2 });
  return attempt.status === "accepted" ? attempt.value.total + value.n : 0;
}

// case 70: narrowing on status is exhaustive
export function describe(attempt: OutputAttempt<Named>): string {
  switch (attempt.status) {
    case "accepted":
      return String(attempt.value.total);
    case "mismatch":
      return attempt.issues.map(({ message }) => message).join();
    case "rejected":
      return attempt.reasons.join();
    case "missing":
      return `${attempt.ended} ${attempt.text}`;
    case "truncated":
      return attempt.limit;
    case "refused":
      return attempt.text;
    case "bounded":
      return attempt.by;
    case "unsupported":
      return attempt.at + attempt.hint;
    case "parked":
      return attempt.approvalId;
    case "cancelled":
      return attempt.report.outcome;
    case "failed":
      return String(attempt.error);
    default:
      return attempt satisfies never;
  }
}

// must fail: a status is left out
export function incomplete(attempt: OutputAttempt<Named>): string {
  if (attempt.status === "accepted") return "";
  // @ts-expect-error ten statuses are left
  return attempt satisfies never;
}

// must fail: the value is there only when accepted, the report not always
export function careless(attempt: OutputAttempt<Named>): unknown {
  // @ts-expect-error not narrowed
  const value: unknown = attempt.value;
  // @ts-expect-error absent when no turn existed
  const report: RunReport = attempt.report;
  return [value, report];
}

// must fail: a wrong type stays wrong
// @ts-expect-error n is a number
export type Check8 = Expect<Same<ValueOf<typeof byZod>, { n: string }>>;
