import { isSessionError, modelMessageShape, type ModelMessage } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import { ownTexts, replaceBody } from "../src/redaction.ts";
import { redactModelMessage } from "../src/redact-model-message.ts";

const secret = "a very long secret";

const parts: Readonly<Record<string, ModelMessage>> = {
  text: { role: "user", content: secret },
  system: { role: "system", content: secret },
  file: { role: "user", content: [{ type: "file", data: secret, mediaType: "text/plain" }] },
  reasoning: { role: "assistant", content: [{ type: "reasoning", text: secret }] },
  call: {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "run", input: { command: secret } }],
    providerOptions: { hint: secret },
  },
  "approval request": {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "c1", toolName: "run", input: { command: secret } },
      { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
    ],
  },
  result: {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c1", toolName: "run", output: { type: "text", value: secret } },
      { type: "tool-approval-response", approvalId: "a1", approved: true, reason: secret },
    ],
  },
};

// S32
describe("an AI SDK message", () => {
  test.each(Object.entries(parts))(
    "loses all that its %s says and keeps what it opens and closes",
    (_, message) => {
      const redacted = redactModelMessage(message);
      expect(JSON.stringify(redacted)).not.toContain(secret);
      expect(modelMessageShape.inspect(redacted)).toEqual(modelMessageShape.inspect(message));
      expect(redactModelMessage(redacted)).toEqual(redacted);
    },
  );

  test("may be replaced by any that opens and closes the same, by no other", () => {
    const replaced = replaceBody(modelMessageShape, parts["call"]!, redactModelMessage);
    expect(replaced.text).not.toContain(secret);
    for (const other of [parts["text"]!, parts["result"]!, { role: "nobody" } as never]) {
      expect(() => replaceBody(modelMessageShape, parts["call"]!, () => other)).toThrow(
        expect.toSatisfy((error) => isSessionError(error, "invalid_message")),
      );
    }
  });
});

describe("texts that are taken out", () => {
  test("are those of the body that its replacement doesn't have, from 8 characters on", () => {
    const before = JSON.stringify({ role: "assistant", content: [secret, "short", "assistant"] });
    const after = JSON.stringify({ role: "assistant", content: "[redacted]" });
    expect(ownTexts([{ before, after }])).toEqual([secret]);
  });
});
