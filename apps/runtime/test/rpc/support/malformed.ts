import fc from "fast-check";

const anything = fc.jsonValue({ maxDepth: 3 });
const method = fc.constantFrom(
  "runs/start",
  "runs/wait",
  "runs/stop",
  "sessions/read",
  "events/subscribe",
  "events/read",
  "approvals/answer",
  "mobkit/fork_member",
  "mobkit/resume_fork",
  "mobkit/list_forks",
  "mobkit/fork_helper",
);
/** Parameters none of which is known, beside any value. */
const params = fc.dictionary(fc.constantFrom("__x", "sesion", "rum", "constructor", "at"), anything, {
  minKeys: 1,
});
const call = fc.record({ jsonrpc: fc.constant("2.0"), id: fc.integer(), method, params });
/** Texts of messages, none of which is a call that can be answered. Every one of them must be refused: by its text, its envelope, its method or its parameters. */
export const malformed: fc.Arbitrary<string> = fc.oneof(
  anything.filter((value) => !Array.isArray(value)).map((value) => JSON.stringify(value)),
  fc.string().map((text) => `!${text.replaceAll("\n", " ")}`),
  call.map((value) => JSON.stringify(value)),
  fc.tuple(call, fc.nat()).map(([value, cut]) => {
    const text = JSON.stringify(value);
    return text.slice(0, 1 + (cut % (text.length - 1)));
  }),
  fc
    .record({ jsonrpc: anything, id: fc.integer(), method: fc.string() })
    .map((value) => JSON.stringify(value)),
  call.map((value) => JSON.stringify({ ...value, method: `${value.method}s` })),
  fc.array(anything, { maxLength: 3 }).map((value) => JSON.stringify(value)),
  fc.constant("[".repeat(100)),
);
