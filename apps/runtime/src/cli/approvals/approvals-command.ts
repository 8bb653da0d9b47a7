import type { ApprovalRecord, RuleScope } from "@basis/approval";
import {
  approvalLines,
  callSummary,
  viewApproval,
  type ApprovalView,
} from "../../approvals/approval-view.ts";
import { answerApproval, findApproval } from "../../approvals/answer-approval.ts";
import { dataDirectory } from "../../config/data-dir.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Command, type CommandContext, type CommandGroup } from "../arguments/command.ts";
import { UsageError, exitCode, type ExitCode } from "../terminal/exit-code.ts";
import { tokenCommand } from "./grant-token-command.ts";
import { withState } from "../open-host.ts";
import { choice, count, duration, flag, text } from "../arguments/option.ts";
import { answer, columns, progress } from "../terminal/output-format.ts";
import { shellWord } from "../terminal/shell-word.ts";

const word = { name: "ID", about: "the approval's id, or its last characters", required: true };
const tokenFile = text(
  "FILE",
  "the token of 'basis approvals token' in place of a terminal; - reads it from standard input",
);

const list: Command = defineCommand({
  name: "approvals list",
  about: "List the calls that wait for an answer, oldest first.",
  options: {
    all: flag("those too that were answered, used or came too late"),
    session: text("ID|NAME", "of this session alone"),
    json: flag("as JSON"),
  },
  examples: [["basis approvals list", "what waits, in whichever session and agent"]],
  run: ({ options }, context) =>
    withState(context, async (state) => {
      const views = (await everyView(state)).filter(
        ({ state: found, session, member }) =>
          (options.all || found === "open") &&
          (options.session === undefined || [session, member].includes(options.session)),
      );
      answer(options.json ? JSON.stringify(views, null, 2) : inColumns(views, options.all ?? false));
      return exitCode.ok;
    }),
});

const show: Command = defineCommand({
  name: "approvals show",
  about: "Show one question whole.",
  word,
  options: { json: flag("as JSON") },
  examples: [["basis approvals show 1c2d3e4f", "who asks for what, until when"]],
  run: ({ word: id, options }, context) =>
    withState(context, async (state) => {
      const view = await viewApproval(
        state.store,
        await findApproval(state.ledger.approvals, id!),
        Date.now(),
      );
      answer(options.json ? JSON.stringify(view, null, 2) : approvalLines(view).join("\n"));
      return exitCode.ok;
    }),
});

const remembering = {
  remember: choice(
    ["session", "workspace", "global"],
    "also keep a rule: the narrowest that covers the call",
  ),
  words: count(1, "with --remember, of a command: any harmless words may follow the first N"),
  expires: duration("with --remember: how long the rule holds"),
  "token-file": tokenFile,
};

const allow: Command = defineCommand({
  name: "approvals allow",
  about: "Allow a call that waits. It runs when its session goes on.",
  more: [
    "What is allowed is exactly what is shown, by its digest: a call, file or tool that has changed by then is not run. One answer is used once, and not after it expires.",
    "It grants authority: a person types yes at a terminal, or a script of yours holds out a token. A program that an agent started is refused.",
  ],
  word,
  options: { reason: text("TEXT", "kept with the answer"), ...remembering },
  examples: [
    ["basis approvals allow 1c2d3e4f", "shows the call, asks for yes"],
    [
      "basis approvals allow 1c2d3e4f --remember workspace",
      "shows the rule, too, and what else it would allow",
    ],
  ],
  run: ({ word: id, options }, context) => settle({ id: id!, decision: "allow", ...options }, context),
});

const deny: Command = defineCommand({
  name: "approvals deny",
  about: "Refuse a call that waits. The agent is told the reason when its session goes on.",
  word,
  options: {
    reason: text("TEXT", "what the agent is told"),
    remember: remembering.remember,
    expires: remembering.expires,
    "token-file": tokenFile,
  },
  examples: [
    ['basis approvals deny 1c2d3e4f --reason "use the staging table"', "the agent reads the reason"],
  ],
  run: ({ word: id, options }, context) => settle({ id: id!, decision: "deny", ...options }, context),
});

/** `basis approvals`. */
export const approvalsCommand: CommandGroup = {
  name: "approvals",
  about: "List, show and answer calls that wait for an approval.",
  commands: { list, show, allow, deny, token: tokenCommand },
};

interface Given {
  readonly id: string;
  readonly decision: "allow" | "deny";
  readonly reason?: string;
  readonly remember?: Exclude<RuleScope, "process">;
  readonly words?: number;
  readonly expires?: number;
  readonly "token-file"?: string;
}

function settle(given: Given, context: CommandContext): Promise<ExitCode> {
  refuseHalves(given);
  return withState(context, async (state) => {
    const { env, directory, interrupt } = context;
    const { id, decision, reason, remember, words, expires } = given;
    const settled = await answerApproval(state, {
      id,
      decision,
      reason,
      remember: remember && { scope: remember, words, forMs: expires },
      person: {
        env,
        directory,
        dataDir: dataDirectory(env),
        tokenFile: given["token-file"],
        signal: interrupt.signal,
      },
    });
    for (const line of settled.lines) progress(line);
    const { member } = settled.view;
    if (member !== null) progress(`it goes on with: basis run --session ${shellWord(member)}`);
    return exitCode.ok;
  });
}

function refuseHalves({ remember, words, expires }: Given): void {
  const alone = [words === undefined ? [] : ["--words"], expires === undefined ? [] : ["--expires"]].flat();
  if (remember === undefined && alone.length > 0)
    throw new UsageError([`${alone.join(" and ")} goes with --remember`]);
}

async function everyView({ store, ledger }: HostState): Promise<readonly ApprovalView[]> {
  const nowMs = Date.now();
  const records: readonly ApprovalRecord[] = await ledger.approvals.list();
  const views: ApprovalView[] = [];
  for (const record of records) views.push(await viewApproval(store, record, nowMs));
  return views;
}

function inColumns(views: readonly ApprovalView[], all: boolean): string {
  if (views.length === 0) return all ? "no approvals" : "nothing waits for an approval";
  const rows = views.map((view) => [
    view.approval,
    view.state,
    view.tool,
    callSummary(view),
    view.agent,
    `${view.expires_at.slice(0, 19)}Z`,
  ]);
  return columns([["APPROVAL", "STATE", "TOOL", "CALL", "AGENT", "UNTIL"], ...rows]);
}
