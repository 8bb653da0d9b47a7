import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allowAll } from "@basis/approval";
import { ChildSpec, ToolRoster, type ChildPolicy } from "@basis/child-policy";
import { parseStrict, type JsonSchema } from "@basis/core";
import { defineOutput } from "@basis/typed-output";
import { createRuntime, type Runtime } from "../compose.ts";
import type { Environment } from "../config/data-dir.ts";
import { exitCode, type ExitCode } from "../cli/terminal/exit-code.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../host/workspace.ts";
import { openModelSource } from "../providers/model-source.ts";
import { openState } from "../store/open-state.ts";
import { forkChapter, type FlakyProvisioner } from "./fork-chapter.ts";
import { demoFiles, layOutDemo, type DemoPlace } from "./lay-out-demo.ts";
import { Story } from "./story.ts";

/** How the demonstration is run. */
export interface DemoRequest {
  /** The folder whose files are copied; it is not changed. */
  readonly directory: string;
  readonly env: Environment;
  /** The event log instead of the story. */
  readonly json: boolean;
  /** Show it in the console as well, which stays until the signal aborts. */
  readonly open?: boolean;
  /** Tell a crash and what comes after it, in place of everything else. */
  readonly crash?: boolean;
  readonly signal: AbortSignal;
}

/** The parts of the demonstration's host. */
export interface DemoHost {
  readonly runtime: Runtime;
  readonly facts: WorkspaceFacts;
  readonly provisioner: FlakyProvisioner;
  readonly story: Story;
  readonly signal: AbortSignal;
}

const TASK = "Look at this repository and report what a reviewer should open first.";

/** A cheap child for looking around: another model, only the reading tools, a system text of its own. */
const triagePolicy: ChildPolicy = () =>
  ChildSpec.inherit()
    .withModel({ provider: "anthropic", id: "claude-haiku-4-5" })
    .withRoster(ToolRoster.only(["list", "read", "search"]))
    .withSystem("You triage. Find the one place that answers the question and name it; change nothing.");

/** Runs the whole demonstration; what it shows is asserted, so that a broken promise fails it. */
export async function runDemo(request: DemoRequest): Promise<ExitCode> {
  const { directory, json, signal } = request;
  const story = new Story(json);
  const place = await layOutDemo(directory, signal);
  try {
    story.say("folder", `${place.files} files of ${directory}, copied to ${place.root}`);
    if (!existsSync(join(place.root, "packages/hooks")))
      story.say(
        "note",
        "the script is about this project's own repository: in this folder some reads find nothing",
      );
    story.say("model", "scripted: only its words are, all else is real");
    if (request.crash) return await tellCrash(story, place, signal);
    const host = await openDemoHost(place, story, request);
    try {
      const told = await tell(host, request, place);
      return told ? exitCode.ok : exitCode.failed;
    } finally {
      await host.facts.close();
      await host.runtime.close();
    }
  } finally {
    place.remove();
  }
}

async function tellCrash(story: Story, place: DemoPlace, signal: AbortSignal): Promise<ExitCode> {
  const { crashChapter } = await import("./crash-chapter.ts");
  await crashChapter(story, { place, signal });
  return story.finish(["session_healed"]) ? exitCode.ok : exitCode.failed;
}

/** Answers whether everything that was promised happened. */
async function tell(host: DemoHost, request: DemoRequest, { dataDir }: DemoPlace): Promise<boolean> {
  const page = request.open
    ? await (await import("./demo-console.ts")).openDemoConsole(host, { env: request.env, dataDir })
    : undefined;
  try {
    if (page !== undefined) host.story.say("console", page.url);
    const session = await runChapter(host);
    await forkChapter(host, session);
    const isTold = host.story.finish();
    if (page !== undefined) await stay(host, page.url);
    return isTold;
  } finally {
    await page?.close();
  }
}

/** The page is looked at as long as the person likes. */
async function stay({ story, signal }: DemoHost, url: string): Promise<void> {
  story.say("console", `${url} stays until Ctrl-C`);
  if (!signal.aborted) await once(signal, "abort");
}

async function openDemoHost(
  { root, dataDir, configDir }: DemoPlace,
  story: Story,
  { env, signal }: DemoRequest,
): Promise<DemoHost> {
  const facts = await openWorkspaceFacts({
    directory: root,
    configDir,
    env: { ...env, BASIS_CONFIG_DIR: configDir },
    trust: "run",
    allowCommands: true,
    report: () => undefined,
    signal,
  });
  const models = await openModelSource(`scripted:${join(demoFiles, "script.json")}`, { env, signal });
  const provisioner: FlakyProvisioner = {
    failing: false,
    provision: async () => {
      if (provisioner.failing) throw new Error("the machine that should host the member is away");
      return {};
    },
  };
  const state = await openState(dataDir, { signal });
  state.events.listen((event) => story.hear(event));
  const runtime = createRuntime({
    state,
    models,
    approver: allowAll,
    childPolicy: triagePolicy,
    nameChild: () => "triage",
    provisioner,
  });
  return { runtime, facts, provisioner, story, signal };
}

async function runChapter({
  runtime,
  facts,
  story,
  signal,
}: DemoHost): Promise<{ readonly id: string; readonly member: string }> {
  const spec = defineOutput({ name: "report", description: "The review report.", schema: reportSchema() });
  const run = await runtime.prepare(facts, { member: "main", signal });
  story.chapter("It works in the repository, and is stopped and corrected by hooks");
  story.say("task", TASK);
  const attempt = await run.output(spec.withTools(), TASK);
  await runtime.state.events.flush();
  signal.throwIfAborted();
  if (attempt.status === "accepted") tellAnswer(story, attempt.value);
  else story.fail(`the run should end with an accepted value, not as ${attempt.status}`);
  return { id: run.sessionId, member: run.member };
}

function tellAnswer(story: Story, value: unknown): void {
  for (const [name, field] of Object.entries(value as object))
    story.say("", `${name.padEnd(8)} ${Array.isArray(field) ? field.join(", ") : String(field)}`);
}

function reportSchema(): JsonSchema {
  const parsed = parseStrict(readFileSync(join(demoFiles, "report.schema.json"), "utf8"));
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value as JsonSchema;
}
