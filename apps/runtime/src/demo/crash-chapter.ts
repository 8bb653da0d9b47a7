import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { allowAll } from "@basis/approval";
import { parseStrict } from "@basis/core";
import { createRuntime, type Runtime } from "../compose.ts";
import type { BasisEvent } from "../events/event-schema.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../host/workspace.ts";
import { openModelSource } from "../providers/model-source.ts";
import { openState } from "../store/open-state.ts";
import { demoFiles, type DemoPlace } from "./lay-out-demo.ts";
import type { Story } from "./story.ts";

/** What a part of this chapter works with. */
interface CrashParts {
  readonly place: Pick<DemoPlace, "root" | "dataDir" | "configDir">;
  readonly signal: AbortSignal;
}

/** Names the place to a process that is started to be killed. */
const PLACE_VARIABLE = "BASIS_DEMO_CRASH_PLACE";

/** Leases of this chapter run out soon, so that nobody waits long for a process that is gone. */
const LEASE_MS = 2_000;

const MEMBER = "crashing";
const TASK = "Look around, write down what you found, then run the long check.";

/** Kills a process with -9 in the middle of a tool call and goes on with its session in this one. */
export async function crashChapter(story: Story, parts: CrashParts): Promise<void> {
  story.chapter("Its process is killed with -9 in the middle of a call, and another one goes on");
  story.say("task", TASK);
  const killed = await killedRun(story, parts);
  if (killed === undefined) return story.fail("the process that was to be killed ended by itself");
  story.say("killed", `process ${killed.pid}, by SIGKILL, while its program ran`);
  const { runtime, facts } = await openCrashHost(parts);
  try {
    runtime.state.events.listen((event) => story.hear(event));
    const run = await runtime.prepare(facts, { sessionId: killed.session, signal: parts.signal });
    const { outcome, text = "" } = await run.run();
    await runtime.state.events.flush();
    if (outcome !== "completed" || !text.includes("do not repeat"))
      story.fail(`the session should be gone on with, not end as ${outcome}`);
    await checkOnce(story, { runtime, session: killed.session, root: parts.place.root });
  } finally {
    await facts.close();
    await runtime.close();
  }
}

/** The part of the process that is killed: runs the turn until then. Undefined in any other process. */
export async function playCrash(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<boolean> {
  const told = env[PLACE_VARIABLE];
  if (told === undefined) return false;
  const { runtime, facts } = await openCrashHost({ place: JSON.parse(told) as DemoPlace, signal });
  runtime.state.events.listen((event) => void process.stdout.write(`${JSON.stringify(event)}\n`));
  const run = await runtime.prepare(facts, { member: MEMBER, signal });
  await run.run(TASK);
  await facts.close();
  await runtime.close();
  return true;
}

async function openCrashHost({
  place: { root, dataDir, configDir },
  signal,
}: CrashParts): Promise<{ readonly runtime: Runtime; readonly facts: WorkspaceFacts }> {
  const env = { ...process.env, BASIS_CONFIG_DIR: configDir };
  const report = (): void => undefined;
  const how = { trust: "skip", allowCommands: true, startServers: false, report } as const;
  const facts = await openWorkspaceFacts({ directory: root, configDir, env, signal, ...how });
  const models = await openModelSource(`scripted:${join(demoFiles, "crash.json")}`, { env, signal });
  const state = await openState(dataDir, { signal });
  return { runtime: createRuntime({ state, models, approver: allowAll, leaseMs: LEASE_MS }), facts };
}

/** Starts the process, tells its events, and kills it once its program runs. */
async function killedRun(
  story: Story,
  { place: { root, dataDir, configDir }, signal }: CrashParts,
): Promise<{ readonly pid: number; readonly session: string } | undefined> {
  const env = { ...process.env, [PLACE_VARIABLE]: JSON.stringify({ root, dataDir, configDir }) };
  const child = spawn(process.execPath, [process.argv[1]!, "demo", "--crash"], {
    env,
    signal,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.on("error", () => undefined);
  let session: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const read = parseStrict(line);
    if (!read.ok) continue; // the kill cut it off
    const event = read.value as unknown as BasisEvent;
    session = event.session;
    story.hear(event);
    if (isLongCall(event)) child.kill("SIGKILL");
  }
  return session === undefined || child.pid === undefined ? undefined : { pid: child.pid, session };
}

function isLongCall({ type, data }: BasisEvent): boolean {
  return type === "tool_started" && data.tool_name === "run";
}

/** What had been done was not done again, and what was under way is not claimed to have been. */
async function checkOnce(
  story: Story,
  { runtime, session, root }: { readonly runtime: Runtime; readonly session: string; readonly root: string },
): Promise<void> {
  const ended: string[] = [];
  for await (const event of runtime.state.events.read(session))
    if (event.type === "tool_completed") ended.push(event.data.tool_name);
  if (ended.join() !== "list,write,run")
    story.fail(`each call should end once, and ended so: ${ended.join(", ")}`);
  const notes = readFileSync(join(root, "crash-notes.txt"), "utf8");
  if (notes !== "written once\n") story.fail("what the killed process wrote should stand as it wrote it");
}
