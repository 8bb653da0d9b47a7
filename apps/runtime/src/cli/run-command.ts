import { readFileSync } from "node:fs";
import type { RunReport } from "@basis/core";
import type { OutputAttempt, OutputSpec } from "@basis/typed-output";
import type { PreparedRun } from "../compose.ts";
import { findSession } from "../store/find-session.ts";
import { approverFor, approveModes } from "./approver-option.ts";
import { parseCount, parseDuration } from "./duration.ts";
import { exitCode, exitCodeOf, exitCodeOfOutput, UsageError, type ExitCode } from "./exit-code.ts";
import { command, type Command } from "./command.ts";
import { openHost, type Host } from "./open-host.ts";
import { answer, paint, progress } from "./output-format.ts";
import { loadOutputSpec } from "./output-option.ts";
import { onInterrupt } from "./interrupt.ts";
import { renderEvents } from "./render-events.ts";

/** `basis run`. */
export const runCommand: Command = command({
  meta: {
    name: "basis run",
    description: "Run one turn in this folder. Reads the prompt from a pipe, or where it is '-'.",
  },
  args: {
    prompt: { type: "positional", required: false, description: "What to do; quote it" },
    session: {
      type: "string",
      valueHint: "ID|NAME",
      description: "Go on in a session; without a prompt it goes on where it waits",
    },
    model: { type: "string", valueHint: "PROVIDER/MODEL", description: "Or scripted:FILE" },
    output: {
      type: "string",
      valueHint: "SCHEMA.json",
      description: "Answer with a JSON value that fits this JSON Schema",
    },
    "with-tools": { type: "boolean", description: "With --output: work with tools first" },
    json: { type: "boolean", description: "One event a line on standard output" },
    approve: {
      type: "enum",
      options: approveModes,
      description: "Who approves consequential calls (default: ask)",
    },
    "allow-run": { type: "boolean", description: "Offer the tool run and the commands of spawn" },
    "trust-workspace": {
      type: "boolean",
      description: "Run this folder's .basis/hooks.json, and remember that you said so",
    },
    deadline: { type: "string", valueHint: "10m", description: "Longest time for the turn" },
    "tool-budget": { type: "string", valueHint: "N", description: "Most tool calls" },
    "token-budget": { type: "string", valueHint: "N", description: "Most tokens, children included" },
    ephemeral: { type: "boolean", description: "Keep nothing" },
  },
  run: ({ args }) => run(args as unknown as RunArguments),
});

interface RunArguments {
  readonly prompt?: string;
  readonly session?: string;
  readonly model?: string;
  readonly output?: string;
  readonly "with-tools"?: boolean;
  readonly json?: boolean;
  readonly approve?: (typeof approveModes)[number];
  readonly "allow-run"?: boolean;
  readonly "trust-workspace"?: boolean;
  readonly deadline?: string;
  readonly "tool-budget"?: string;
  readonly "token-budget"?: string;
  readonly ephemeral?: boolean;
}

async function run(args: RunArguments): Promise<ExitCode> {
  const bounds = {
    deadlineMs: args.deadline === undefined ? undefined : parseDuration(args.deadline, "--deadline"),
    toolBudget:
      args["tool-budget"] === undefined ? undefined : parseCount(args["tool-budget"], "--tool-budget", 0),
    tokenBudget:
      args["token-budget"] === undefined ? undefined : parseCount(args["token-budget"], "--token-budget"),
  };
  if (args["with-tools"] && args.output === undefined)
    throw new UsageError("--with-tools goes with --output");
  if (args.ephemeral && args.session !== undefined)
    throw new UsageError("--ephemeral keeps no session to go on in");
  const prompt = readPrompt(args);
  const interrupt = onInterrupt();
  let sessionId: string | undefined;
  let spec: OutputSpec<unknown> | undefined;
  const host = await openHost({
    env: process.env,
    directory: process.cwd(),
    model: args.model,
    ephemeral: args.ephemeral,
    trustWorkspace: args["trust-workspace"],
    allowRun: args["allow-run"],
    approver: approverFor(args.approve ?? "ask"),
    findSession: async (state) => {
      if (args.session !== undefined) sessionId = (await findSession(state.store, args.session)).id;
    },
    beforeProvider: async () => {
      if (args.output !== undefined) spec = await loadOutputSpec(args.output, args["with-tools"] ?? false);
    },
    signal: interrupt.signal,
  });
  try {
    const prepared = await host.runtime.prepare(host.facts, { sessionId, bounds });
    interrupt.instead(() => prepared.stop());
    return await runPrepared(host, prepared, { args, prompt, spec });
  } finally {
    interrupt.release();
    await host.close();
  }
}

interface Asked {
  readonly args: RunArguments;
  readonly prompt: string | undefined;
  readonly spec: OutputSpec<unknown> | undefined;
}

async function runPrepared(
  host: Host,
  prepared: PreparedRun,
  { args, prompt, spec }: Asked,
): Promise<ExitCode> {
  const silence = host.state.events.listen(
    renderEvents({ json: args.json ?? false, session: prepared.sessionId, typed: spec !== undefined }),
  );
  try {
    if (spec === undefined) return finishProse(prepared, await prepared.run(prompt), args);
    return finishTyped(prepared, await prepared.output(spec, prompt ?? ""), args);
  } finally {
    host.state.events.flush();
    silence();
  }
}

function finishProse(prepared: PreparedRun, report: RunReport, args: RunArguments): ExitCode {
  const { text = "", outcome } = report;
  if (!args.json && !process.stdout.isTTY && text !== "") answer(text);
  if (outcome !== "completed") explain(report, prepared);
  else if (!args.json && !args.ephemeral)
    progress(paint.dim(`session ${prepared.member}: go on with --session ${prepared.member}`));
  return exitCodeOf(report);
}

function finishTyped(prepared: PreparedRun, attempt: OutputAttempt<unknown>, args: RunArguments): ExitCode {
  if (attempt.status === "accepted") {
    if (!args.json) answer(JSON.stringify(attempt.value, null, 2));
    return exitCode.ok;
  }
  progress(`${paint.red("no answer:")} ${attempt.status}${whyNot(attempt)}`);
  if (attempt.report && attempt.report.outcome !== "completed") explain(attempt.report, prepared);
  return exitCodeOfOutput(attempt);
}

function whyNot(attempt: OutputAttempt<unknown>): string {
  switch (attempt.status) {
    case "mismatch":
      return `: ${attempt.issues.map(({ pointer, message }) => `${pointer || "the answer"} ${message}`).join("; ")}`;
    case "rejected":
      return `: ${attempt.reasons.join("; ")}`;
    case "failed":
      return `: ${attempt.error instanceof Error ? attempt.error.message : String(attempt.error)}`;
    case "unsupported":
      return `: ${attempt.hint}`;
    default:
      return "";
  }
}

function explain({ outcome, stoppedBy, failure, approvalId }: RunReport, { member }: PreparedRun): void {
  const why = failure instanceof Error ? failure.message : (stoppedBy ?? approvalId ?? "");
  progress(`${paint.yellow(outcome)}${why ? `: ${why}` : ""} (session ${member})`);
}

function readPrompt({ prompt, session }: RunArguments): string | undefined {
  if (prompt !== undefined && prompt !== "-") {
    if (prompt.trim() === "") throw new UsageError("the prompt is empty");
    return prompt;
  }
  if (prompt === undefined && (session !== undefined || process.stdin.isTTY)) {
    if (session === undefined) throw new UsageError('say what to do: basis run "PROMPT"');
    return undefined;
  }
  const text = readFileSync(0, "utf8").trim();
  if (text === "") throw new UsageError("standard input held no prompt");
  return text;
}
