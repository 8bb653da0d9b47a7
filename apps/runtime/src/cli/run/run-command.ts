import { compactAtOption } from "../arguments/compact-at-option.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { refuseAgents } from "../../approvals/lineage.ts";
import { withImages, type PromptInput } from "../../images/prompt.ts";
import { approverFor, approveOption } from "../arguments/approve-option.ts";
import { readImages } from "../arguments/image-files.ts";
import { UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { modelOption } from "../arguments/model-option.ts";
import { openHost, type Host } from "../open-host.ts";
import { count, duration, flag, text, texts } from "../arguments/option.ts";
import { isPlayed } from "../../providers/played-model.ts";
import { openRecording } from "./recording.ts";
import { refuseOtherEnd } from "../arguments/session-option.ts";
import { readPrompt } from "../arguments/prompt-source.ts";
import { renderEvents } from "../terminal/render-events.ts";
import { finishProse, finishTyped, type Finishing } from "./run-outcome.ts";

const options = {
  session: text("ID|NAME", "go on in a session; without a prompt, where it waits or was interrupted"),
  agent: text("NAME", "begin the session as an agent of .basis/agents: its text, tools and model"),
  model: modelOption,
  output: text("SCHEMA.json", "answer with a JSON value that fits this JSON Schema, and nothing else"),
  "with-tools": flag("with --output: work with tools first"),
  json: flag("one event a line on standard output instead of the answer"),
  approve: approveOption,
  "allow-run": flag("offer the tool run and the commands of spawn, which start programs"),
  "trust-workspace": flag(
    "let this folder's hooks, MCP servers and declared tools run, and remember it for these entries and scripts",
  ),
  "trust-unpinned": flag("with --trust-workspace: those too whose code is in no file, as of npx or sh -c"),
  deadline: duration("longest time for the turn; what was done by then is kept"),
  "tool-budget": count(0, "most tool calls of each agent"),
  "token-budget": count(1, "most tokens, children included"),
  "compact-at": compactAtOption,
  image: texts("FILE", "show the model an image with the prompt: PNG, JPEG, GIF or WebP; may be given again"),
  record: text(
    "FILE",
    "write what the model was asked and answered, without secrets, into a new file; --model cassette:FILE plays it",
  ),
  queue: flag("let a worker run it (basis worker), and follow it here"),
  realm: text("NAME", "with --queue: whose turn it is, for fair queueing; default 'default'"),
  ephemeral: flag("keep nothing: session and events stay in memory"),
};

/** `basis run`. */
export const runCommand: Command = defineCommand({
  name: "run",
  about: "Run one turn of an agent in this folder.",
  more: [
    "It reads, lists and searches files as it likes; writing and delegating are asked about, programs run only with --allow-run. AGENTS.md files stand in its system text, .basis/hooks.json guards its calls. The MCP servers of .mcp.json and the tools of .basis/tools.json are asked about.",
    "On a terminal the answer streams; in a pipe only the answer goes to standard output. Progress goes to standard error. Ctrl-C stops the turn and keeps its work; a second one ends at once.",
  ],
  word: {
    name: "PROMPT",
    about: "what to do, quoted; - reads it from standard input, and so does a pipe without PROMPT",
    required: false,
  },
  options,
  examples: [
    ['basis "what is in this folder?"', "run is the default command"],
    [
      "git diff | basis run --output review.schema.json",
      "a prompt through a pipe, a checked value as the answer",
    ],
    ['basis run --agent reviewer "look at the last commit"', "as .basis/agents/reviewer.md says"],
    ['basis run --session main-1c2d3e4f "and the tests?"', "the next turn of a session"],
    ['basis run --model scripted:replies.json "hello"', "a model whose replies are a file; no key needed"],
  ],
  run,
});

type RunArguments = Arguments<typeof options>;

async function run(args: RunArguments, context: CommandContext): Promise<ExitCode> {
  refuseContradictions(args);
  refuseSelfApproval(args, context.env);
  const { options: given } = args;
  const images = readImages(given.image ?? [], context.directory);
  const words = await readPrompt({ word: args.word, continues: given.session !== undefined }, context);
  if (words === undefined && images.length > 0)
    throw new UsageError(["--image goes with a PROMPT", "see: basis run --help"]);
  const prompt = words === undefined ? undefined : withImages(words, images);
  return given.queue ? runQueue(args, prompt, context) : runHere(args, prompt, context);
}

async function runHere(
  args: RunArguments,
  prompt: PromptInput | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { options: given } = args;
  const recording = given.record === undefined ? undefined : await openRecording(given.record, context);
  const host = await openHost({
    ...context,
    recorder: recording?.recorder,
    model: given.model,
    ephemeral: given.ephemeral ?? false,
    trustWorkspace: given["trust-workspace"] ?? false,
    trustUnpinned: given["trust-unpinned"] ?? false,
    allowRun: given["allow-run"] ?? false,
    approver: approverFor(given.approve ?? "ask"),
    agent: given.agent,
    session:
      given.session === undefined ? undefined : { name: given.session, needsWork: prompt === undefined },
    output: outputChoice(given),
    compactAt: given["compact-at"],
    signal: context.interrupt.signal,
  });
  try {
    return await runIn(host, prompt, { args, context });
  } finally {
    await host.close();
    await recording?.write();
  }
}

/** Keys, and who answers for calls, are the worker's. */
async function runQueue(
  { options: given }: RunArguments,
  prompt: PromptInput | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { runQueued } = await import("./queued-run.ts");
  const { session, agent, model, realm } = given;
  return runQueued(
    {
      session,
      agent,
      model,
      realm,
      output: outputChoice(given),
      prompt,
      json: given.json ?? false,
      trustWorkspace: given["trust-workspace"] ?? false,
      trustUnpinned: given["trust-unpinned"] ?? false,
      allowRun: given["allow-run"] ?? false,
      bounds: boundsOf(given),
    },
    context,
  );
}

function outputChoice({ output: file, "with-tools": withTools }: RunArguments["options"]) {
  return file === undefined ? undefined : { file, withTools: withTools ?? false };
}

function boundsOf(given: RunArguments["options"]) {
  const { deadline, "tool-budget": toolBudget, "token-budget": tokenBudget } = given;
  return {
    ...(deadline !== undefined && { deadlineMs: deadline }),
    ...(toolBudget !== undefined && { toolBudget }),
    ...(tokenBudget !== undefined && { tokenBudget }),
  };
}

/** An agent's program cannot grant what the agent was not granted. */
function refuseSelfApproval({ options: given }: RunArguments, env: CommandContext["env"]): void {
  const granting = [
    given["trust-workspace"] && "--trust-workspace",
    given["allow-run"] && "--allow-run",
    given.approve === "always" && "--approve always",
  ].filter((option) => typeof option === "string");
  if (granting.length > 0) refuseAgents(env, granting.join(", "));
}

/** Refuses options that do not go together, all at once. */
function refuseContradictions({ options: given }: RunArguments): void {
  const problems: string[] = [];
  if (given["with-tools"] && given.output === undefined) problems.push("--with-tools goes with --output");
  if (given.ephemeral && given.session !== undefined)
    problems.push("--ephemeral keeps nothing, so there is no session to go on in");
  if (given.ephemeral && given.approve === "park")
    problems.push("--ephemeral keeps nothing, so no approval can wait: use --approve never");
  problems.push(...incompleteTrust(given), ...unqueued(given));
  if (problems.length > 0) throw new UsageError([...problems, "see: basis run --help"]);
}

/** What a turn that another process runs cannot be told here. */
function unqueued(given: RunArguments["options"]): readonly string[] {
  if (!given.queue) return given.realm === undefined ? [] : ["--realm goes with --queue"];
  const own = (["record", "ephemeral", "approve", "compact-at"] as const).filter((name) => given[name]);
  return [
    ...own.map((name) => `--${name} does not go with --queue: ${whosElse[name]}`),
    ...(isPlayed(given.model) ? [`--model ${given.model} does not go with --queue: ${whosElse.file}`] : []),
  ];
}

/** Why a queued turn does not carry it. */
const whosElse = {
  record: "the worker asks the model; record a turn that runs here",
  ephemeral: "a worker finds the turn in the store, so it is kept",
  approve: "the worker answers as it was started, by 'basis worker --approve park|never|always'",
  "compact-at": "the worker compacts as it was started, by 'basis worker --compact-at N'",
  file: "that file is on this machine; start the worker with it, or name PROVIDER/MODEL",
} as const;

function incompleteTrust(given: RunArguments["options"]): readonly string[] {
  const isHalf = given["trust-unpinned"] && !given["trust-workspace"];
  return isHalf ? ["--trust-unpinned goes with --trust-workspace"] : [];
}

async function runIn(
  host: Host,
  prompt: PromptInput | undefined,
  { args, context }: { readonly args: RunArguments; readonly context: CommandContext },
): Promise<ExitCode> {
  const { options: given } = args;
  if (prompt === undefined) await refuseOtherEnd(host.state.store, host);
  const prepared = await host.runtime.prepare(host.facts, {
    sessionId: host.session?.id,
    agent: given.agent,
    keepsModel: given.model !== undefined,
    bounds: boundsOf(given),
  });
  context.interrupt.instead(() => prepared.stop());
  const { member, sessionId } = prepared;
  const json = given.json ?? false;
  const finishing: Finishing = {
    json,
    streamed: process.stdout.isTTY && host.spec === undefined,
    ...(!given.ephemeral && { goOn: { member, command: "basis run" } }),
  };
  const silence = host.state.events.listen(
    renderEvents({ json, session: sessionId, typed: host.spec !== undefined }),
  );
  try {
    return host.spec === undefined
      ? finishProse(await prepared.run(prompt), finishing)
      : finishTyped(await prepared.output(host.spec, prompt), finishing);
  } finally {
    await host.state.events.flush();
    silence();
  }
}
