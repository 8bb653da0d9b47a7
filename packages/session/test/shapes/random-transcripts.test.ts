import { memoryStore } from "@mobkit/session";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialects, type Ask, type Dialect } from "./dialects.ts";

/** A step of a conversation: somebody speaks, or the assistant asks and is answered in some order, in some portions. */
type Step =
  | { readonly say: "system" | "user" | "assistant"; readonly text: string }
  | { readonly asks: readonly Ask["what"][]; readonly order: number; readonly portion: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ say: fc.constantFrom("system", "user", "assistant"), text: fc.string() }),
  fc.record({
    asks: fc.array(fc.constantFrom<Ask["what"]>("call", "call", "executed", "approval"), {
      minLength: 1,
      maxLength: 5,
    }),
    order: fc.nat(),
    portion: fc.integer({ min: 1, max: 3 }),
  }),
);

interface Line {
  readonly message: unknown;
  readonly openAfter: number;
}

/** The conversation in a format, with how much is open after each message: counted from the steps alone. */
function write(dialect: Dialect, steps: readonly Step[]): Line[] {
  return steps.flatMap((each, index) => {
    if ("say" in each) return [{ message: dialect.say(each.say, each.text), openAfter: 0 }];
    const asks = each.asks.map((what, at) => ({ id: `id-${index}-${at}`, what }));
    const waiting = rotate(
      asks.filter(({ what }) => what !== "executed"),
      each.order,
    );
    let openAfter = waiting.length;
    const lines: Line[] = [{ message: dialect.ask(asks), openAfter }];
    for (let at = 0; at < waiting.length; at += each.portion) {
      const portion = waiting.slice(at, at + each.portion);
      const messages = dialect.answer(portion);
      for (const message of messages) {
        openAfter -= portion.length / messages.length;
        lines.push({ message, openAfter });
      }
    }
    return lines;
  });
}

function rotate<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

describe.each(dialects)("whatever is said in %s", (_, dialect) => {
  test("openAfter and the settled length are what the conversation says", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const lines = write(dialect, steps);
        const store = memoryStore<unknown>({ shape: dialect.shape });
        const { id } = await store.createSession({ member: "planner", role: "general" });
        const lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
        await store.append(id, { lease, expectedRev: 0, messages: lines.map(({ message }) => message) });
        const found: number[] = [];
        for await (const { openAfter } of store.read(id)) found.push(openAfter);
        expect(found).toEqual(lines.map(({ openAfter }) => openAfter));
        const settled = lines.findLastIndex(({ openAfter }) => openAfter === 0) + 1;
        expect((await store.head(id)).settledLen).toBe(settled);
      }),
      { numRuns: 150 },
    );
  });

  test("a value that is no message is answered with a problem, never thrown at", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const facts = dialect.shape.inspect(value as never);
        expect("problem" in facts || Array.isArray(facts.opens)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a message with one field replaced is read or refused with a path, never thrown at", () => {
    const replaced = fc.tuple(fc.array(step, { minLength: 1, maxLength: 2 }), fc.nat(), fc.jsonValue());
    fc.assert(
      fc.property(replaced, ([steps, at, value]) => {
        const [line] = write(dialect, steps);
        const message = replaceField(line!.message, at, value);
        const facts = dialect.shape.inspect(message as never);
        expect("problem" in facts ? typeof facts.problem : facts.kind).toMatch(
          /^(string|system|user|assistant|tool)$/,
        );
      }),
      { numRuns: 300 },
    );
  });
});

/** A copy with its `at`-th value, counted through all levels, replaced. */
function replaceField(message: unknown, at: number, value: unknown): unknown {
  const text = JSON.stringify(message);
  let count = 0;
  JSON.parse(text, (_, item: unknown) => ((count += 1), item));
  let index = 0;
  return JSON.parse(text, (_, item: unknown) => ((index += 1) - 1 === at % count ? value : item));
}
