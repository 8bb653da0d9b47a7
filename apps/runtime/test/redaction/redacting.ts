import {
  planRedaction,
  type RedactionOrder,
  type RedactionPlan,
} from "../../src/redaction/plan-redaction.ts";
import { redactSession, type SessionRedaction } from "../../src/redaction/redact-session.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

export const SECRET = 'CANARY-7f3a "quoted"';
export const now = Date.now();

/** A host with a tool that says what it is given. */
export const openProbing = (options: TestHostOptions): Promise<TestHost> =>
  openTestHost({ tools: [probeTool("probe")], ...options });

export const { signal } = new AbortController();

/** What a redaction would do; by default one of the secret. */
export async function plan(
  host: TestHost,
  sessionId: string,
  order: Partial<RedactionOrder> = {},
): Promise<RedactionPlan> {
  const session = await host.state.store.head(sessionId);
  const asked = { session, texts: [SECRET], wholeIds: [], everywhere: false, ...order };
  return planRedaction(host.state, asked, { now, signal });
}

export async function redact(
  host: TestHost,
  sessionId: string,
  order: Partial<RedactionOrder> = {},
): Promise<SessionRedaction> {
  return redactSession(host.state, await plan(host, sessionId, order), { now, signal });
}

export const nothingLeft = {
  elsewhere: [],
  messages: 0,
  events: 0,
  requestHeads: [],
  tables: {},
  running: [],
  unpurged: [],
};

export const agents = {
  main: [
    { text: `I use ${SECRET}.`, ...calls({ name: "probe", input: { value: SECRET }, id: "c1" }) },
    { text: `it was ${SECRET}` },
    { text: "on we go" },
  ],
};
