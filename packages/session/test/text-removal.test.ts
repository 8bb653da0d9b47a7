import type { JsonValue } from "@basis/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { messageWithoutTexts, payloadWithoutTexts, withoutTexts } from "../src/text-removal.ts";
import { dialects } from "./shapes/dialects.ts";

const secret = "a very long secret";

test("S32: texts leave nothing of themselves behind, also where one stands inside another", () => {
  const value = { key: [`x ${secret} y`, "very long"], n: 1 };
  const cleaned = withoutTexts(value, ["very long", secret]);
  expect(cleaned).toEqual({ key: ["x [redacted] y", "[redacted]"], n: 1 });
  expect(withoutTexts({ other: "text" }, [secret])).toBeUndefined();
  expect(withoutTexts(`a reason: ${secret}`, [secret])).toBe("a reason: [redacted]");
});

test("S32: texts are in nothing that a value says afterwards, and its fields are those it had", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const value = json as JsonValue;
      const cleaned = withoutTexts({ value, said: `before ${secret} after` }, [secret]);
      expect(JSON.stringify(cleaned)).not.toContain(secret);
      expect(cleaned).toEqual({ value, said: "before [redacted] after" });
    }),
  );
});

test("S32: words, ids and permissions that are read again stay, where the same text that is said goes", () => {
  const fixed = {
    type: "deny",
    state: "deny",
    sessionId: "deny",
    toolAccessPolicy: { deny: ["deny_all"], allow: ["deny"] },
  };
  expect(withoutTexts({ deny: fixed, why: "deny it" }, ["deny"])).toEqual({
    deny: fixed,
    why: "[redacted] it",
  });
  expect(withoutTexts(fixed, ["deny", "toolAccessPolicy", "state"])).toBeUndefined();
});

test.each(dialects)(
  "S32: words of the format of %s stay, where the same text that is said goes",
  (_, { shape, say }) => {
    const message = plain(say("user", "user text type role content message"));
    const said = plain(say("user", "said"));
    const cleaned = messageWithoutTexts(message, ["user", "text", "type", "role", "content", "message"]);
    const left = "[redacted] [redacted] [redacted] [redacted] [redacted] [redacted]";
    expect(cleaned).toEqual(plain(say("user", left)));
    expect(shape.inspect(cleaned as never)).toEqual(shape.inspect(said as never));
  },
);

test("S32: a waiting first input holds a message, and another event doesn't", () => {
  const payload = { operationId: "user-1", message: { role: "user", name: "user", content: "the user" } };
  const input = payloadWithoutTexts({ kind: "session.input", payload }, ["user", "message"]);
  expect(input).toEqual({ ...payload, message: { ...payload.message, content: "the [redacted]" } });
  const other = payloadWithoutTexts({ kind: "told", payload }, ["user"]);
  expect(other).toMatchObject({ message: { role: "user", name: "[redacted]" } });
});

function plain(message: unknown): JsonValue {
  return JSON.parse(JSON.stringify(message)) as JsonValue;
}
