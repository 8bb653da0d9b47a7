import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allowAll } from "@basis/approval";
import { ChildSpec, ToolRoster, type ChildPolicy } from "@basis/child-policy";
import { defineOutput } from "@basis/typed-output";
import { createRuntime, type Runtime } from "../compose.ts";
import { exitCode, type ExitCode } from "../cli/exit-code.ts";
import type { BasisEvent } from "../events/event-schema.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../host/workspace.ts";
import { openModelSource } from "../providers/model-source.ts";
import { openState } from "../store/open-state.ts";
import { demoFiles, layOutDemo, type DemoPlace } from "./lay-out-demo.ts";
import { forkChapters, type FlakyProvisioner } from "./fork-chapters.ts";
import { Story } from "./story.ts";

/** How the demonstration is run. */
export interface DemoRequest {
  /** The folder whose tracked files are copied; it is not changed. */
  readonly directory: string;
  /** The event log instead of the story. */
  readonly json: boolean;
  readonly signal: AbortSignal;
}

/** The parts of the demonstration's host. */
export interface DemoHost {
  readonly runtime: Runtime;
  readonly facts: WorkspaceFacts;
  readonly provisioner: FlakyProvisioner;
  readonly story: Story;
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
  const place = layOutDemo(request.directory);
  const story = new Story(request.json);
  try {
    const host = await openDemoHost(place, story, request.signal);
    try {
      const session = await mainChapter(host, request.signal);
      await forkChapters(host, session);
    } finally {
      await host.facts.hooks.close();
      await host.runtime.close();
    }
    return story.finish() ? exitCode.ok : exitCode.failed;
  } finally {
    place.remove();
  }
}

async function openDemoHost(place: DemoPlace, story: Story, signal: AbortSignal): Promise<DemoHost> {
  const { root, dataDir, configDir } = place;
  const env = { ...process.env, BASIS_CONFIG_DIR: configDir };
  const state = await openState(dataDir, { signal });
  state.events.listen((event: BasisEvent) => story.hear(event));
  const facts = await openWorkspaceFacts({
    directory: root,
    configDir,
    env,
    trust: "run",
    allowCommands: true,
    report: (text) => story.aside(text),
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
  const runtime = createRuntime({
    state,
    models,
    approver: allowAll,
    childPolicy: triagePolicy,
    nameChild: () => "triage",
    provisioner,
  });
  return { runtime, facts, provisioner, story };
}

async function mainChapter(
  { runtime, facts, story }: DemoHost,
  signal: AbortSignal,
): Promise<{ id: string; member: string }> {
  const schema = JSON.parse(readFileSync(join(demoFiles, "report.schema.json"), "utf8")) as object;
  const spec = defineOutput({ name: "report", description: "The review report.", schema: schema as never });
  const run = await runtime.prepare(facts, { member: "main", signal });
  story.chapter(
    "One run: it reads, is stopped and corrected by hooks, delegates, and answers with a checked value",
  );
  story.say(`task: ${TASK}`);
  const attempt = await run.output(spec.withTools(), TASK);
  runtime.state.events.flush();
  if (attempt.status === "accepted") story.say(`answer: ${JSON.stringify(attempt.value)}`);
  else story.fail(`the run should end with an accepted value, not as ${attempt.status}`);
  return { id: run.sessionId, member: run.member };
}
