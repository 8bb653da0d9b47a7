import { resolve } from "node:path";
import { visibleText } from "@basis/core";
import type { Reporter } from "../hook-report.ts";
import { askQuestion } from "./ask-question.ts";
import { questionToWire, readCall, type CallQuestion } from "./call-question.ts";
import { jsonOption, type Arguments, type Command, type CommandContext } from "./command.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { explain, explanationToWire, hookToWire } from "./explanation.ts";
import { listHooks, type HookListing } from "./hook-listing.ts";
import { placeOf, placeOptions } from "./hook-place.ts";
import { jsonText } from "./layout.ts";
import { openPlan, runnableHooks, runUntrustedOption } from "./open-listing.ts";
import { renderExplanation, renderLeftOut, renderQuestion, title } from "./render-explanation.ts";
import { readUserDocument } from "./user-document.ts";
import { whyLeftOut } from "./why-left-out.ts";

type Options = keyof typeof placeOptions | "dry" | "run-untrusted" | "json";

export const explainCommand: Command<Options> = {
  name: "explain",
  about: "ask the chain about one call and show who answered what",
  more: [
    "The call is a JSON object: tool_name, input and, where they matter, event (pre_tool_use without it), agent_id, " +
      "tool_call_id, for post_tool_use output and is_error. A request as a hook reads it will do.",
    "The hooks really run, as they would for an agent; the tool does not. The exit code is 0 whatever the chain answers.",
  ],
  words: { shown: "CALL.json", about: "a file with the call, or - for standard input", least: 1, most: 1 },
  options: {
    dry: { about: "evaluate the filters alone, and run nothing" },
    ...placeOptions,
    "run-untrusted": runUntrustedOption,
    json: jsonOption,
  },
  examples: [
    ["basis-hooks explain call.json", "ask this folder's hooks about the call"],
    ["basis-hooks explain - --dry < call.json", "show whom the call would concern"],
  ],
  async run(args, context): Promise<ExitCode> {
    const place = placeOf(args, context);
    const question = await readQuestion(args.words[0]!, context);
    const listing = await listHooks(place);
    if (args.has("dry")) return showFilters(question, listing, { args, context });
    const warnings: string[] = [];
    const report: Reporter = (message, { kind }) => void (kind === "warning" && warnings.push(message));
    const runUntrusted = args.has("run-untrusted");
    const plan = await runnableHooks(listing, place, { runUntrusted, report });
    const chain = await openPlan(listing.workspace, plan, { place, report });
    try {
      const explanation = explain(
        question,
        await askQuestion(chain, question, context.signal),
        listing.hooks,
      );
      const { workspace } = listing;
      if (args.has("json"))
        context.print(jsonText({ workspace, ...explanationToWire(explanation), warnings }));
      else context.print(`${renderExplanation(explanation, context.paint)}\n`);
      for (const warning of warnings) context.note(warning);
    } finally {
      await chain.close();
    }
    return exitCode.ok;
  },
};

async function readQuestion(word: string, context: CommandContext): Promise<CallQuestion> {
  const { directory, stdin, signal } = context;
  const path = word === "-" ? word : resolve(directory, word);
  const document = await readUserDocument({ path, stdin, signal });
  return readCall(document, document.value, "");
}

/** What the filters say of the input as it is; what a hook would make of it first is not known. */
function showFilters(
  question: CallQuestion,
  listing: HookListing,
  { args, context }: { readonly args: Arguments<Options>; readonly context: CommandContext },
): ExitCode {
  const { event, call, input } = question;
  const judged = listing.hooks.map((hook, index) => ({
    position: index + 1,
    hook,
    because: whyLeftOut(hook.settings, { event, toolName: call.toolName, effect: call.effect, input }),
  }));
  const concerned = judged.filter(({ because }) => because === undefined);
  const leftOut = judged.flatMap(({ because, ...rest }) =>
    because === undefined ? [] : [{ ...rest, because, why: "filtered" as const }],
  );
  if (args.has("json")) {
    const asked = concerned.map(({ position, hook }) => ({
      ...hookToWire(position, hook),
      trust: hook.trust,
    }));
    const notAsked = leftOut.map(({ position, hook, because }) => ({
      ...hookToWire(position, hook),
      because,
    }));
    const { workspace } = listing;
    context.print(
      jsonText({ workspace, call: questionToWire(question), would_ask: asked, would_not_ask: notAsked }),
    );
    return exitCode.ok;
  }
  const { paint } = context;
  const lines = concerned.map(({ position, hook }) => {
    const trust = hook.trust === "untrusted" || hook.trust === "modified" ? `  ${paint.bad(hook.trust)}` : "";
    return `${String(position).padStart(3)}  ${visibleText(title(hook))}${trust}`;
  });
  const sections = [
    renderQuestion(question, paint),
    lines.length === 0
      ? "nobody would be asked"
      : [paint.strong("would be asked, in this order, unless one denies"), ...lines].join("\n"),
    ...(leftOut.length > 0 ? [renderLeftOut(leftOut, paint)] : []),
  ];
  context.print(`${sections.join("\n\n")}\n`);
  return exitCode.ok;
}
