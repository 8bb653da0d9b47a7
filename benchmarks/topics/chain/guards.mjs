// What all cases of the chain are made of: the same call, the same guards.

const LINE = "const answer = await ask(question); // and what comes of it\n";

/** The call that is guarded. `small`: three fields, 48 bytes. `large`: a written file, 2 kB. */
export function callOf({ input = "small" }) {
  const value =
    input === "small"
      ? { path: "src/server/index.ts", from: 1, lines: 200 }
      : { path: "src/server/index.ts", content: LINE.repeat(33) };
  return { agentId: "main", toolName: "read", toolCallId: "call-1", inputJson: JSON.stringify(value) };
}

/** As many guards as asked for; each looks at the request and allows. */
export function guardsOf({ guards, kind = "sync" }) {
  const judge = (request) =>
    request.input.path === "/etc/passwd" ? { decision: "deny", reason: "not that" } : { decision: "allow" };
  return Array.from({ length: guards }, (_, index) => ({
    name: `guard-${index}`,
    intercept: kind === "async" ? async (request) => judge(request) : (request) => judge(request),
  }));
}

/** The request as a hand-written loop makes it: parsed once, frozen all the way down. */
export function frozenRequest({ agentId, toolName, toolCallId, inputJson }) {
  const input = JSON.parse(inputJson);
  deepFreeze(input);
  return Object.freeze({ event: "pre_tool_use", workspace: "/w", agentId, toolName, toolCallId, input });
}

function deepFreeze(value) {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) deepFreeze(member);
  Object.freeze(value);
}

/** A case that asks `ask(call)` and must be allowed. */
export async function subjectOf(ask, call) {
  const { decision } = await ask(call);
  if (decision !== "allow") throw new Error(`answered ${decision}`);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await ask(call);
    },
  };
}
