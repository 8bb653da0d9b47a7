import { visibleText, type JsonObject } from "@basis/core";
import type { RankedHooks } from "../node/discover-hooks.ts";
import { jsonOption, type Command, type CommandContext } from "./command.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { hookToWire } from "./explanation.ts";
import { listHooks, type HookListing, type ListedHook } from "./hook-listing.ts";
import { placeOf, placeOptions, type HookPlace } from "./hook-place.ts";
import { columns, counted, duration, inset, insetSaid, jsonText, rounded, type Paint } from "./layout.ts";
import { measureHook, startTimeMs, type HookTimes } from "./measure-hook.ts";
import { openPlan, runnableHooks, runUntrustedOption } from "./open-listing.ts";
import { readCount } from "./read-arguments.ts";
import { sampleCallFor } from "./sample-call.ts";

/** A hook that takes this part of its timeout is slow: on a busy machine it will be late. */
const SLOW_PART = 0.5;
/** A start that takes this part of the whole, and so long, is what a worker would save. */
const START_PART = 0.5;
const WORTH_SAVING_MS = 10;
const NAME_WIDTH = 24;
const DEFAULT_RUNS = 20;

/** A hook and its times; without times it was not asked. */
interface Measured {
  readonly position: number;
  readonly hook: ListedHook;
  readonly times: HookTimes | undefined;
  /** What of the median goes into starting its interpreter. */
  readonly startMs: number | undefined;
}

export const benchCommand: Command<keyof typeof placeOptions | "runs" | "run-untrusted" | "json"> = {
  name: "bench",
  about: "measure how long each hook takes to answer, against its timeout",
  more: [
    "Each hook is asked alone about a made-up call that its filters let through. No tool runs; the hook does, as often " +
      "as you say. A hook is slow when its 99th percentile takes half of its timeout.",
    "'start' is the part of the median that its interpreter takes to start and do nothing: what mode worker would save. " +
      "Of a worker it is the first answer, which waits for the start.",
    "The exit code is 1 when a hook is slow or cannot answer.",
  ],
  options: {
    runs: { value: "N", about: `questions to each hook (${DEFAULT_RUNS})` },
    ...placeOptions,
    "run-untrusted": runUntrustedOption,
    json: jsonOption,
  },
  examples: [["basis-hooks bench --runs 100", "a hundred questions to each of this folder's hooks"]],
  async run(args, context): Promise<ExitCode> {
    const place = placeOf(args, context);
    const runs = readCount("runs", args.text("runs") ?? String(DEFAULT_RUNS), 1);
    const listing = await listHooks(place);
    const report = (): void => undefined;
    const runUntrusted = args.has("run-untrusted");
    const plan = await runnableHooks(listing, place, { runUntrusted, report });
    const measured: Measured[] = [];
    for (const [index, alone] of plansOfOne(plan).entries()) {
      const hook = listing.hooks[index]!;
      measured.push({ position: index + 1, hook, ...(await measure(alone, hook, { place, listing, runs })) });
    }
    context.print(args.has("json") ? jsonText(toWire(listing, measured)) : render(measured, context));
    return measured.every((each) => remarksOf(each).isFine) ? exitCode.ok : exitCode.found;
  },
};

/** One plan for each hook, in the chain's order. */
function plansOfOne(plan: readonly RankedHooks[]): readonly RankedHooks[] {
  return plan.flatMap(({ rank, hooks, pins }) =>
    hooks.map((settings, index) => ({
      rank,
      hooks: [settings],
      pins: pins && { ...pins, entries: pins.entries.slice(index, index + 1) },
    })),
  );
}

async function measure(
  plan: RankedHooks,
  { settings }: ListedHook,
  run: { readonly place: HookPlace; readonly listing: HookListing; readonly runs: number },
): Promise<Pick<Measured, "times" | "startMs">> {
  const { place, listing, runs } = run;
  const question = sampleCallFor(settings);
  if (question === undefined) return { times: undefined, startMs: undefined };
  const { workspace } = listing;
  const { env, signal } = place;
  const chain = await openPlan(workspace, [plan], { place, report: () => undefined });
  try {
    const isWorker = settings.mode === "worker";
    const times = await measureHook(chain, question, { runs, isWorker, signal });
    const startMs = isWorker ? undefined : startTimeMs(settings, { workspace, env });
    return { times, startMs: startMs && Math.min(startMs, times.medianMs) };
  } finally {
    await chain.close();
  }
}

/** What is to be said about a measured hook, in words. */
function remarksOf({ hook, times, startMs = 0 }: Measured): {
  readonly isFine: boolean;
  readonly words: readonly string[];
} {
  if (times === undefined) return { isFine: true, words: ["is never asked: its 'tools' is empty"] };
  const { timeoutMs } = hook.settings;
  const isSlow = times.p99Ms >= timeoutMs * SLOW_PART;
  const failures = times.failures.map((failure) => `could not answer: it ${failure}`);
  const slow = isSlow
    ? [`is slow: it took ${duration(times.p99Ms)} of the ${duration(timeoutMs)} it has`]
    : [];
  const isMostlyStart = startMs >= WORTH_SAVING_MS && startMs >= times.medianMs * START_PART;
  const start = isMostlyStart
    ? ['spends most of its time on starting: with "mode": "worker" it would start once']
    : [];
  return { isFine: failures.length === 0 && !isSlow, words: [...failures, ...slow, ...start] };
}

function toWire({ workspace }: HookListing, measured: readonly Measured[]): JsonObject {
  return {
    workspace,
    hooks: measured.map((each) => {
      const { position, hook, times, startMs } = each;
      const { isFine, words } = remarksOf(each);
      return {
        ...hookToWire(position, hook),
        mode: hook.settings.mode,
        timeout_ms: hook.settings.timeoutMs,
        ok: isFine,
        remarks: words,
        ...(times !== undefined && {
          runs: times.runs,
          median_ms: rounded(times.medianMs),
          p99_ms: rounded(times.p99Ms),
          first_ms: rounded(times.firstMs),
        }),
        ...(startMs !== undefined && { start_ms: rounded(startMs) }),
      };
    }),
  };
}

function render(measured: readonly Measured[], { paint }: CommandContext): string {
  if (measured.length === 0) return "there are no hooks to measure\n";
  const head = ["hook", "mode", "runs", "median", "p99", "of timeout", "start"];
  const rows = measured.map((each) => [shortName(each), ...cellsOf(each)]);
  const remarks = measured.flatMap((each) => renderRemarks(each, paint));
  const table = columns([head, ...rows], new Set([2, 3, 4, 5, 6]));
  const done = `${counted(measured.length, "hook")} measured`;
  return `${[table, "", ...remarks, done].join("\n")}\n`;
}

function cellsOf({ hook, times, startMs }: Measured): readonly string[] {
  const { mode, timeoutMs } = hook.settings;
  if (times === undefined) return [mode, "0", "", "", "", ""];
  const once = mode === "worker" ? `${duration(times.firstMs)} once` : "";
  const start = startMs === undefined ? once : percent(startMs / times.medianMs);
  const part = percent(times.p99Ms / timeoutMs);
  return [mode, String(times.runs), duration(times.medianMs), duration(times.p99Ms), part, start];
}

function percent(part: number): string {
  return part < 0.01 ? "<1 %" : `${Math.round(part * 100)} %`;
}

function shortName({ position, hook }: Measured): string {
  const name = visibleText(hook.settings.name);
  const shown = name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name;
  return `${position} ${shown}`;
}

function renderRemarks(each: Measured, paint: Paint): readonly string[] {
  const { isFine, words } = remarksOf(each);
  const name = `${each.position} ${visibleText(each.hook.settings.name)}`;
  const mark = isFine ? paint.doubtful(name) : paint.bad(name);
  return words.map((says) => {
    const [first = "", ...further] = says.trim().split("\n");
    const head = inset(`${mark} ${visibleText(first)}`, 2);
    return further.length === 0 ? head : `${head}\n${insetSaid(further.join("\n"), 2)}`;
  });
}
