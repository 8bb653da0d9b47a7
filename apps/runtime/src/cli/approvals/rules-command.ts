import { visibleText, type StoredRule } from "@basis/approval";
import { deadRules } from "@basis/approval/store";
import { ApprovalRefusal } from "../../approvals/answer-approval.ts";
import { personBehind } from "../../approvals/person.ts";
import { ruleInWords } from "../../approvals/remembered-call.ts";
import { dataDirectory } from "../../config/data-dir.ts";
import { defineCommand, type Command, type CommandGroup } from "../arguments/command.ts";
import { exitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { choice, flag, text } from "../arguments/option.ts";
import { answer, columns, progress } from "../terminal/output-format.ts";

const list: Command = defineCommand({
  name: "rules list",
  about: "List the remembered rules, oldest first, and which of them can decide nothing any more.",
  options: {
    tool: text("NAME", "for this tool alone"),
    scope: choice(["session", "workspace", "global"], "of this scope alone"),
    json: flag("as JSON"),
  },
  examples: [["basis rules list", "what is allowed and refused without being asked"]],
  run: ({ options }, context) =>
    withState(context, async ({ ledger }) => {
      const { tool, scope } = options;
      const rules = await ledger.rules.list({ toolName: tool, scope });
      const all = tool === undefined && scope === undefined ? rules : await ledger.rules.list();
      const nowMs = Date.now();
      const dead = new Map(deadRules(all, { nowMs }).map(({ rule, problem }) => [rule.id, problem]));
      const views = rules.map((rule): RuleView => {
        const problem = dead.get(rule.id) ?? null;
        return { ...rule, state: stateOf(rule, problem, nowMs), dead: problem };
      });
      answer(options.json ? JSON.stringify(views, null, 2) : inColumns(views));
      return exitCode.ok;
    }),
});

const revoke: Command = defineCommand({
  name: "rules revoke",
  about: "Forget a rule for good. Where a refusal stood, calls are asked about again.",
  word: { name: "ID", about: "the rule's id", required: true },
  options: {
    "token-file": text(
      "FILE",
      "the token of 'basis approvals token' in place of a terminal; - is standard input",
    ),
  },
  examples: [["basis rules revoke 01a2b3c4-…", "see the ids with basis rules list"]],
  run: ({ word: id, options }, context) =>
    withState(context, async ({ ledger }) => {
      const { env, directory, interrupt } = context;
      const by = await personBehind({
        what: "rules revoke",
        lines: [`rule ${visibleText(id!)}`],
        question: "Forget this rule?",
        tokenFile: options["token-file"],
        env,
        dataDir: dataDirectory(env),
        directory,
        signal: interrupt.signal,
      });
      if (by === undefined) throw new ApprovalRefusal("nothing was changed");
      if (!(await ledger.rules.revoke(id!)))
        throw new ApprovalRefusal(`there is no rule '${id!}'; see 'basis rules list'`);
      progress(`revoked ${visibleText(id!)}`);
      return exitCode.ok;
    }),
});

/** `basis rules`. */
export const rulesCommand: CommandGroup = {
  name: "rules",
  about: "List remembered rules, or forget one.",
  commands: { list, revoke },
};

/** A rule as it is shown: `dead` says why it can decide nothing any more. */
interface RuleView extends StoredRule {
  readonly state: "holds" | "lapsed" | "dead";
  readonly dead: string | null;
}

/** `lapsed`: its time is over; `dead`: something else keeps it from ever deciding. */
function stateOf({ expiresAt }: StoredRule, problem: string | null, nowMs: number): RuleView["state"] {
  if (problem === null) return "holds";
  return expiresAt !== undefined && nowMs >= expiresAt ? "lapsed" : "dead";
}

function inColumns(rules: readonly RuleView[]): string {
  if (rules.length === 0) return "no rules; 'basis approvals allow ID --remember SCOPE' keeps one";
  const rows = rules.map((rule) => [
    rule.id,
    rule.scope,
    ruleInWords(rule),
    visibleText(rule.agent ?? "any"),
    rule.expiresAt === undefined ? "-" : `${new Date(rule.expiresAt).toISOString().slice(0, 19)}Z`,
    rule.dead === null ? "" : `${rule.state}: ${visibleText(rule.dead)}`,
  ]);
  return columns([["RULE", "SCOPE", "DECIDES", "AGENT", "UNTIL", ""], ...rows]);
}
