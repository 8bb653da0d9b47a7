// The names and shapes that hosts bind to, checked by the compiler.
import {
  createHookChain,
  type AnyHookError,
  type HookCall,
  type HookOutcome,
  type HookRequest,
  type Interceptor,
} from "../src/index.ts";
import { openHooks } from "../src/node/index.ts";
import { inspectTrust, revokeTrust, trustWorkspace } from "../src/trust/index.ts";

declare const interceptor: Interceptor;
declare const call: HookCall;
declare const signal: AbortSignal | undefined;

const hooks = await openHooks({
  workspace: "/w",
  globalDir: undefined,
  interceptors: [interceptor],
  specs: [{ name: "g", command: ["./g"], timeout_ms: 1, on_failure: "allow", mode: "process" }],
  discovery: true,
  trust: "refuse",
  trustFile: "/data/trust.json",
  knownTools: ["run"],
  report: (message: string) => void message,
  signal,
});
export const before: HookOutcome = await hooks.beforeCall(call, { signal });
export const after: HookOutcome = await hooks.afterCall(
  call,
  { output: { n: 1 }, isError: false },
  { signal },
);
export const toolCallIds: string[] = hooks.trail.map((record) => record.toolCallId);
export const reloaded: { readonly swapped: boolean; readonly error?: Error } = await hooks.reload({ signal });
await hooks.close();
const where = { workspace: "/w", trustFile: "/data/trust.json" };
export const states: ("trusted" | "modified" | "untrusted")[] = (await inspectTrust(where)).entries.map(
  ({ state }) => state,
);
export const digest: string = (await trustWorkspace({ ...where, allowUnpinned: true })).digest;
export const wasKnown: boolean = await revokeTrust(where);
await using disposable = createHookChain({ workspace: "/w", participants: [interceptor] });
void disposable;

export function textOf(outcome: HookOutcome): string {
  switch (outcome.decision) {
    case "allow":
      return "";
    case "deny":
      return outcome.reason;
    case "modify":
      return Object.keys(outcome.input).join();
    case "replace":
      return `${JSON.stringify(outcome.output)} ${outcome.isError}`;
  }
}

export function flagOf(request: HookRequest): boolean {
  // @ts-expect-error there is no result before the call
  void request.isError;
  return request.event === "post_tool_use" && request.isError;
}

export function lineOf(error: AnyHookError): number {
  return error.code === "invalid_file" ? error.details.line : 0;
}

// @ts-expect-error an answer is not optional
export const silent: Interceptor = { name: "x", intercept: () => undefined };
// @ts-expect-error modify needs an object
export const wrong: Interceptor = { name: "x", intercept: () => ({ decision: "modify", input: "ls" }) };
// @ts-expect-error a chain answers no replace before the call
void ((await hooks.beforeCall(call)).decision === "replace");
