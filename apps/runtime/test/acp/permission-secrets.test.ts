import { expect, test } from "vitest";
import { callSummary } from "../../src/approvals/approval-view.ts";
import { ruleInWords } from "../../src/approvals/remembered-call.ts";
import { secrets } from "../../src/secrets/secrets.ts";
import { calls } from "../harness/test-host.ts";
import { MemoryEditor } from "./support/memory-editor.ts";

test("a question has no secret in it, not half of one either", async () => {
  const secret = "canary-0123456789-abcdefghijklmnopqrstuvwxyz";
  secrets.add(secret);
  const editor = await MemoryEditor.open({
    agents: { main: [calls({ name: "write", input: { path: "a", content: "" } })] },
    interceptors: [
      {
        name: "other",
        intercept: () => ({
          decision: "modify",
          input: { path: `${"x".repeat(180)}${secret}`, content: "" },
        }),
      },
    ],
  });
  editor.prompt(await editor.session());
  const question = await editor.question();
  expect(JSON.stringify(question)).toContain("[redacted]");
  expect(JSON.stringify(editor.received)).not.toContain(secret.slice(0, 10));
  expect(JSON.stringify(editor.host.approver.asked[0]!.input)).toContain(secret);
  const call = { path: `${"x".repeat(40)}${secret}` };
  expect(callSummary({ call } as never)).not.toContain(secret.slice(0, 10));
  const rule = { effect: "allow", toolName: "probe", pattern: `${"x".repeat(280)}${secret}` };
  expect(ruleInWords(rule as never)).not.toContain(secret.slice(0, 10));
});
