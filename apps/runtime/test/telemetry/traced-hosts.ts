import { createLadderMemory, defineOutput } from "@basis/typed-output";
import { textOutcome } from "../../src/tools/tool.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

/** What a person, a model or a tool says in these hosts; never in a trace unless the host asks for it. */
export const SAID = "the launch code is 0000";

/** A host whose main agent delegates once; its child reads a file that says it too. */
export function openFamily(options: TestHostOptions = {}): Promise<TestHost> {
  return openTestHost({
    agents: {
      main: [
        calls({ id: "s1", name: "spawn", input: { input: `look: ${SAID}` } }),
        { text: `done, ${SAID}` },
      ],
      child: [calls({ id: "r1", name: "read", input: { path: "a.txt" } }), { text: `found ${SAID}` }],
    },
    files: { "a.txt": `${SAID}\n` },
    interceptors: [{ name: "guard", intercept: () => ({ decision: "allow" }) }],
    ...options,
  });
}

/** Plays one of everything that is traced: delegation, refusal, failing tool, failing guard, retry, typed answer, fork, compaction, failure. */
export async function playEverything(telemetry: TestHostOptions["telemetry"]): Promise<void> {
  await (await openFamily({ telemetry })).run(`go: ${SAID}`);
  await playCalls(telemetry);
  await playTyped(telemetry);
  await playLong(telemetry);
  const forked = await openTestHost({ telemetry, agents: { main: [{ text: "one" }, { text: "two" }] } });
  await forked.run("go", { member: "trunk" });
  const spec = { identity: "branch", role: "main", launchMode: "fresh" } as const;
  const { sessionId } = await forked.runtime.fork("trunk", spec);
  await forked.run("and on", { sessionId });
  await forked.runtime.fork("nobody", spec).catch(() => undefined);
  const failing = await openTestHost({ telemetry, agents: { main: [] } });
  await failing.run("go");
  const bounded = await openFamily({ telemetry });
  await bounded.run("go", { bounds: { toolBudget: 0, maxRounds: 1 } });
}

async function playCalls(telemetry: TestHostOptions["telemetry"]): Promise<void> {
  const names = ["fails", "denied", "guarded", "parks"];
  const host = await openTestHost({
    telemetry,
    tools: names.map((name) => probeTool(name, { run: () => textOutcome(SAID, true) })),
    interceptors: [
      {
        name: "broken",
        intercept: ({ toolName }) => {
          if (toolName === "guarded") throw new Error(SAID);
          return { decision: "allow" };
        },
      },
    ],
    approver: new RecordingApprover(({ toolName }) => {
      if (toolName === "denied") return { decision: "deny", reason: SAID };
      return toolName === "parks" ? { decision: "park" } : { decision: "allow" };
    }),
    agents: {
      main: [calls(...names.map((name) => ({ name, input: { value: SAID } }))), { text: "never said" }],
    },
  });
  await host.run("go");
}

async function playLong(telemetry: TestHostOptions["telemetry"]): Promise<void> {
  const main = [{ text: "much ".repeat(2000) }, { text: "two" }];
  const agents = { main, compaction: [{ text: SAID }] };
  const host = await openTestHost({ telemetry, compactAt: 2000, agents });
  const { transcript } = await host.run("go");
  await host.run("and on", { sessionId: transcript!.sessionId });
}

async function playTyped(telemetry: TestHostOptions["telemetry"]): Promise<void> {
  const answer = (verdict: string) => calls({ name: "$output", input: { verdict } });
  const schema = {
    type: "object",
    properties: { verdict: { type: "string", enum: ["good", "bad"] } },
    required: ["verdict"],
    additionalProperties: false,
  } as const;
  const spec = defineOutput({ name: "verdict", description: "The verdict.", schema });
  const host = await openTestHost({ telemetry, agents: { main: [answer(SAID), answer("good")] } });
  const run = await host.runtime.prepare(host.facts);
  await run.output(spec, "judge", { memory: createLadderMemory() });
}
