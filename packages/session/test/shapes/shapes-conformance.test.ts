import { memoryStore, type ModelMessage, type TranscriptShape } from "@mobkit/session";
import { chapters, type StoreFactory } from "@mobkit/session/conformance";
import { describe, expect, test } from "vitest";
import { dialects, type Ask, type Dialect } from "./dialects.ts";

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly approvalId?: string;
}

/** What a part of the kit's messages asks for or answers; undefined for any other part. */
function askOf({ type, toolCallId, approvalId }: Part, dialect: Dialect): Ask | undefined {
  if (type === "tool-call" || type === "tool-result") return { id: toolCallId!, what: "call" };
  if (!type.startsWith("tool-approval-")) return undefined;
  return { id: approvalId!, what: dialect.approvals ? "approval" : "call" };
}

/** The kit's message in another format; what is no message stays none. */
function translate(message: ModelMessage, dialect: Dialect): unknown {
  const { role, content } = message;
  if (!["system", "user", "assistant", "tool"].includes(role)) return message;
  if (role !== "tool" && typeof content === "string") return dialect.say(role, content);
  const asks = (content as readonly Part[]).flatMap((part) => askOf(part, dialect) ?? []);
  if (asks.length === 0) return dialect.say("user", "a part of another kind");
  return role === "tool" ? dialect.answer(asks)[0] : dialect.ask(asks);
}

/** Reads the kit's messages by translating each into a format and asking that format's shape. */
function through(dialect: Dialect): TranscriptShape<ModelMessage> {
  return {
    name: dialect.shape.name,
    inspect: (message) => dialect.shape.inspect(translate(message, dialect) as never),
  };
}

describe.each(dialects)("a store that reads %s", (_, dialect) => {
  const factory: StoreFactory = {
    open: async ({ clock }) => ({ store: memoryStore({ clock, shape: through(dialect) }) }),
  };

  describe.each(chapters)("keeps the promises about $name", ({ cases }) => {
    test.each(cases)("$name", ({ run }) => expect(run(factory)).resolves.toBeUndefined());
  });
});
