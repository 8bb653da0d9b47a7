import { isAbsolute } from "node:path";
import { z } from "zod";
import { answerApproval, ApprovalRefusal } from "../../approvals/answer-approval.ts";
import { viewApproval, type ApprovalView } from "../../approvals/approval-view.ts";
import type { HostState } from "../../store/open-state.ts";
import { takeItems } from "../page.ts";
import { RpcError } from "../rpc-error.ts";
import { defineMethod, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { limit, word } from "./parameters.ts";

const answer = z.strictObject({
  approval: word,
  decision: z.enum(["allow", "deny"]),
  reason: z.string().max(2000).optional(),
  /** The path of the file with the token that a person made; the token itself never stands in a message. */
  token_file: z.string().max(4096).refine(isAbsolute, "must be an absolute path").optional(),
});

const list = z.strictObject({
  all: z.boolean().default(false),
  session: word.optional(),
  after: word.optional(),
  limit,
});

/** `approvals/list` and `approvals/answer`. */
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
      call: (given, { signal }) => settle(host, given, signal),
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

/** An answer grants authority: a person's credential comes with it, and no agent is above this server. */
async function settle(
  { runtime, workspace, env, dataDir }: ServerHost,
  given: z.output<typeof answer>,
  signal: AbortSignal,
): Promise<{ readonly approval: string; readonly decision: string; readonly member: string | null }> {
  const { approval, decision, reason, token_file: tokenFile } = given;
  const { state } = runtime;
  if ((await state.ledger.approvals.get(approval)) === undefined)
    throw new RpcError("not_found", `there is no approval ${JSON.stringify(approval)}`, {
      kind: "unknown_approval",
    });
  if (tokenFile === undefined) throw new RpcError("forbidden", NO_CREDENTIAL, { kind: "credential_missing" });
  const person = { env, directory: workspace.root, dataDir, tokenFile, signal };
  try {
    const { view } = await answerApproval(state, { id: approval, decision, reason, person });
    return { approval, decision, member: view.member };
  } catch (error) {
    if (!(error instanceof ApprovalRefusal)) throw error;
    throw new RpcError("closed", error.message, { kind: "approval_closed" });
  }
}

const NO_CREDENTIAL =
  "an answer grants authority: give the token_file with the token that 'basis approvals token' made in a terminal, or answer with 'basis approvals' there";
