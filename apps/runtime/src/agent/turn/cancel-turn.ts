import type { ModelMessage } from "../../providers/model.ts";
import type { Intent } from "../../store/host-ledger.ts";
import type { HostStore } from "../../store/host-store.ts";
import { clearAccount } from "./kept-account.ts";
import { callKeyOf } from "../calls/queued-call.ts";
import type { RunContext } from "../run/run-context.ts";
import { callsOf } from "../transcript/tool-message.ts";

/** What rolling a turn back needs of its run. */
export type CancelledRun = Pick<RunContext, "writer" | "scope" | "emit" | "ledger" | "clock">;

/**
 * Rolls a turn back to `to` and answers that; forks keep the rows that they share. What had been done to the world
 * stays visible in a notice, and questions about calls that are gone are closed. Undefined when there is nothing to
 * roll back.
 */
export async function cancelTurn(
  run: CancelledRun,
  to: number,
  { store }: { readonly store: HostStore },
): Promise<number | undefined> {
  const { writer, scope, emit } = run;
  const { pendingApprovals } = await store.head(scope.session);
  const sideState = await clearAccount(store, scope.session);
  const change = { runTurn: null, pendingApprovals: -pendingApprovals, sideState };
  if (writer.len === to) {
    await writer.update(change);
    return undefined;
  }
  const gone = await callKeysFrom(store, scope.session, to);
  const notice = noticeOf(
    (await run.ledger.intentsOf(scope.session)).filter(({ callKey }) => gone.has(callKey)),
  );
  const messages: ModelMessage[] = notice === undefined ? [] : [{ role: "user", content: notice }];
  const { from, ids } = await writer.cancel({ ...change, to, reason: "cancelled", messages });
  if (notice !== undefined) emit("user_message", { row: from, message_id: ids[0]!, text: notice });
  await closeQuestions(run, gone);
  return to;
}

async function callKeysFrom(store: HostStore, sessionId: string, from: number): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const { body, id } of store.read(sessionId, { from })) {
    if (body.role !== "assistant") continue;
    for (const index of callsOf(body).keys()) keys.add(callKeyOf(sessionId, id, index));
  }
  return keys;
}

function noticeOf(done: readonly Intent[]): string | undefined {
  if (done.length === 0) return undefined;
  const names = done.map(
    (intent) => `${intent.toolName} (${intent.finishedAt === undefined ? "outcome unknown" : "done"})`,
  );
  return `[A turn was cancelled after it had run: ${names.join(", ")}. Look before you rely on it.]`;
}

async function closeQuestions(
  { ledger, clock, scope }: CancelledRun,
  gone: ReadonlySet<string>,
): Promise<void> {
  const open = await ledger.approvals.list({ sessionId: scope.session, state: "open" });
  for (const { approvalId, callKey } of open) {
    if (!gone.has(callKey)) continue;
    const reason = "the turn was cancelled";
    await ledger.approvals.resolve(approvalId, { decision: "deny", by: "cancel", reason, at: clock.now() });
  }
}
