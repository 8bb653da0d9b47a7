import { join, resolve } from "node:path";
import { visibleText, type JsonObject } from "@basis/core";
import type { HookChain } from "../hook-chain.ts";
import type { Reporter } from "../hook-report.ts";
import { askQuestion } from "./ask-question.ts";
import { questionToWire } from "./call-question.ts";
import { CASES_SCHEMA, readCases, type HookCase } from "./case-file.ts";
import { jsonOption, type Command, type CommandContext } from "./command.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { explain, explanationToWire, type Explanation } from "./explanation.ts";
import { listHooks, type HookListing } from "./hook-listing.ts";
import { placeOf, placeOptions } from "./hook-place.ts";
import { judgeCase } from "./judge-case.ts";
import { counted, duration, inset, insetSaid, jsonText, type Paint } from "./layout.ts";
import { openPlan, runnableHooks, runUntrustedOption } from "./open-listing.ts";
import { sampleCallFor } from "./sample-call.ts";
import { readUserDocument } from "./user-document.ts";

/** A case that was run. */
interface RunCase {
  readonly name: string;
  readonly problems: readonly string[];
  readonly explanation: Explanation;
}

export const testCommand: Command<keyof typeof placeOptions | "init" | "run-untrusted" | "json"> = {
  name: "test",
  about: "run the cases of a file against the chain and report like a test runner",
  more: [
    "A case is a call and what the chain must make of it: decision, a part of the reason, the input that runs, the " +
      "output shown, who is asked and who is not. The file's schema is @basis/hooks/cases-schema.json.",
    "The hooks really run; the tools do not. The exit code is 1 when a case fails.",
  ],
  words: {
    shown: "FILE",
    about: "the cases; without it, .basis/hook-cases.json of the workspace",
    least: 0,
    most: 1,
  },
  options: {
    init: { about: "print a first case file for this workspace's hooks, and run nothing" },
    ...placeOptions,
    "run-untrusted": runUntrustedOption,
    json: jsonOption,
  },
  examples: [
    ["basis-hooks test --init > .basis/hook-cases.json", "begin with a case for each hook"],
    ["basis-hooks test", "run them"],
  ],
  async run(args, context): Promise<ExitCode> {
    const place = placeOf(args, context);
    const listing = await listHooks(place);
    if (args.has("init")) {
      context.print(jsonText(firstCases(listing)));
      return exitCode.ok;
    }
    const [word] = args.words;
    const path =
      word === undefined
        ? join(listing.workspace, ".basis", "hook-cases.json")
        : resolve(context.directory, word);
    const { stdin, signal } = context;
    const cases = readCases(await readUserDocument({ path, stdin, signal }));
    const report: Reporter = (message, { kind }) => void (kind === "warning" && context.note(message));
    const runUntrusted = args.has("run-untrusted");
    const plan = await runnableHooks(listing, place, { runUntrusted, report });
    const chain = await openPlan(listing.workspace, plan, { place, report });
    try {
      const runs = await runCases(cases, { chain, listing, context, isQuiet: args.has("json") });
      if (args.has("json")) context.print(jsonText(runsToWire(path, runs)));
      else context.print(`${summary(runs, context.paint)}\n`);
      return runs.every(({ problems }) => problems.length === 0) ? exitCode.ok : exitCode.found;
    } finally {
      await chain.close();
    }
  },
};

async function runCases(
  cases: readonly HookCase[],
  ports: {
    readonly chain: HookChain;
    readonly listing: HookListing;
    readonly context: CommandContext;
    readonly isQuiet: boolean;
  },
): Promise<readonly RunCase[]> {
  const { chain, listing, context, isQuiet } = ports;
  const runs: RunCase[] = [];
  for (const { name, question, expect } of cases) {
    const asked = await askQuestion(chain, question, context.signal);
    const explanation = explain(question, asked, listing.hooks);
    const run = { name, explanation, problems: judgeCase(expect, explanation) };
    runs.push(run);
    if (!isQuiet) context.print(`${renderRun(run, context.paint)}\n`);
  }
  return runs;
}

function renderRun({ name, problems, explanation }: RunCase, paint: Paint): string {
  const mark = problems.length === 0 ? paint.good("ok  ") : paint.bad("FAIL");
  const failures = explanation.asked.flatMap(({ entry }) =>
    entry.failure === undefined ? [] : [`${entry.who} ${entry.failure.detail}`],
  );
  return [
    `${mark}  ${visibleText(name)}  ${paint.faint(duration(explanation.ms))}`,
    ...problems.map((problem) => inset(visibleText(problem.trim()), 6)),
    ...(problems.length === 0 ? [] : failures.map((failure) => insetSaid(failure, 6))),
  ].join("\n");
}

function summary(runs: readonly RunCase[], paint: Paint): string {
  const failed = runs.filter(({ problems }) => problems.length > 0).length;
  const ms = runs.reduce((sum, { explanation }) => sum + explanation.ms, 0);
  const passed = `${runs.length - failed} passed`;
  const verdict = failed === 0 ? paint.good(passed) : `${passed}, ${paint.bad(`${failed} failed`)}`;
  return `${counted(runs.length, "case")}: ${verdict}, in ${duration(ms)}`;
}

function runsToWire(path: string, runs: readonly RunCase[]): JsonObject {
  const failed = runs.filter(({ problems }) => problems.length > 0).length;
  return {
    file: path,
    passed: runs.length - failed,
    failed,
    cases: runs.map(({ name, problems, explanation }) => ({
      name,
      passed: problems.length === 0,
      problems,
      ...explanationToWire(explanation),
    })),
  };
}

/** A case for each hook: a call that its filters let through, and that it is asked about it. */
function firstCases({ hooks }: HookListing): JsonObject {
  const cases = hooks.flatMap(({ settings }) => {
    const question = sampleCallFor(settings);
    if (question === undefined) return [];
    const { agent_id: _agent, tool_call_id: _id, ...call } = questionToWire(question);
    return [{ name: `${settings.name} is asked`, call, expect: { asked: [settings.name] } }];
  });
  return { schema: CASES_SCHEMA, cases };
}
