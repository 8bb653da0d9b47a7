import type { ApprovalRecord } from "@basis/approval";
import { isBasisError } from "@basis/core";
import { z } from "zod";
import { answerApproval, ApprovalRefusal, UnkeptRuleError } from "../../approvals/answer-approval.ts";
import { viewApproval, type ApprovalView } from "../../approvals/approval-view.ts";
import { rememberedQuestion } from "../../approvals/remembered-call.ts";
import type { HostState } from "../../store/open-state.ts";
import { takeItems } from "../page.ts";
import { RpcError } from "../rpc-error.ts";
import { defineMethod, type RpcCaller, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { credentialOf, tokenFile } from "./credential.ts";
import { limit, word } from "./parameters.ts";

/** The longest time that a rule is kept for: ten years. */
const MAX_RULE_MS = 10 * 365 * 24 * 3_600_000;

/** The rule to keep beside an answer. */
const remember = z.strictObject({
  scope: z.enum(["session", "workspace", "global"]),
  /** Of a command that is allowed: any harmless words may follow the first so many. */
  words: z.int().min(1).max(100).optional(),
  for_ms: z.int().min(1).max(MAX_RULE_MS).optional(),
});

const answer = z.strictObject({
  approval: word,
  decision: z.enum(["allow", "deny"]),
  reason: z.string().max(2000).optional(),
  remember: remember.optional(),
  token_file: tokenFile,
});

const preview = answer.pick({ approval: true, decision: true }).extend({ remember });

const list = z.strictObject({
  all: z.boolean().default(false),
  session: word.optional(),
  after: word.optional(),
  limit,
});

/** `approvals/list`, `approvals/answer` and `approvals/preview`. */
export function approvalMethods(host: ServerHost): readonly RpcMethod[] {
  const { state } = host.runtime;
  return [
    defineMethod({
      name: "approvals/list",
      params: list,
      async call(asked) {
        const { items, isWhole } = await takeItems(views(state, asked), asked.limit);
        return { approvals: items, next: isWhole ? null : items.at(-1)!.approval };
      },
    }),
    defineMethod({
      name: "approvals/answer",
      params: answer,
      call: (given, caller) => settle(host, given, caller),
    }),
    defineMethod({
      name: "approvals/preview",
      params: preview,
      async call({ approval, decision, remember: asked }) {
        const record = await questionOf(state, approval);
        const { rules, inWords } = await asRule(async () =>
          rememberedQuestion(record, { ...keptRule(asked), effect: decision }),
        );
        return { approval, rules: rules.length, in_words: inWords };
      },
    }),
  ];
}

/** The questions that are asked for, oldest first: ids sort by age. */
async function* views(
  { store, ledger }: HostState,
  { all, session, after = "" }: z.output<typeof list>,
): AsyncGenerator<ApprovalView, void, undefined> {
  const nowMs = Date.now();
  const records = await ledger.approvals.list(all ? {} : { state: "open" });
  const sorted = records
    .filter(({ approvalId }) => approvalId > after)
    .toSorted((one, other) => (one.approvalId < other.approvalId ? -1 : 1));
  for (const record of sorted) {
    const view = await viewApproval(store, record, nowMs);
    const isOf = session === undefined || view.session === session || view.member === session;
    if (isOf && (all || view.state === "open")) yield view;
  }
}

interface AnsweredQuestion {
  readonly approval: string;
  readonly decision: string;
  readonly member: string | null;
  /** The ids of the rules that were kept. */
  readonly rules?: readonly string[];
}

async function questionOf({ ledger }: HostState, approval: string): Promise<ApprovalRecord> {
  const record = await ledger.approvals.get(approval);
  if (record !== undefined) return record;
  throw new RpcError("not_found", `there is no approval ${JSON.stringify(approval)}`, {
    kind: "unknown_approval",
  });
}

function keptRule({ scope, words, for_ms: forMs }: z.output<typeof remember>) {
  return { scope, words, forMs };
}

/** What cannot be remembered so is a wrong parameter. */
async function asRule<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isBasisError(error, "ApprovalError")) throw error;
    const issues = [{ path: "remember", message: error.message }];
    throw new RpcError("invalid_params", error.message, { kind: error.code, issues });
  }
}

/** An answer grants authority: a person's credential comes with it, and no agent is above this server. */
async function settle(
  host: ServerHost,
  given: z.output<typeof answer>,
  caller: RpcCaller,
): Promise<AnsweredQuestion> {
  const { approval, decision, reason, remember: asked } = given;
  const { state } = host.runtime;
  await questionOf(state, approval);
  const person = credentialOf(host, given.token_file, caller);
  try {
    const rule = asked && keptRule(asked);
    const { view, rules } = await asRule(() =>
      answerApproval(state, { id: approval, decision, reason, remember: rule, person }),
    );
    return { approval, decision, member: view.member, ...(rule && { rules }) };
  } catch (error) {
    if (error instanceof UnkeptRuleError)
      throw new RpcError("internal", error.message, { kind: "rule_not_kept", committed: true });
    if (!(error instanceof ApprovalRefusal)) throw error;
    throw new RpcError("closed", error.message, { kind: "approval_closed" });
  }
}
