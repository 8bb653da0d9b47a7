import { DeadlineError, type Clock, type TokenUsage } from "@basis/core";
import type { SessionRecord } from "@mobkit/session";
import { Cue } from "../agent/run/cue.ts";
import { hearOut } from "../agent/model/ask-model.ts";
import { keepUsage } from "../agent/model/keep-usage.ts";
import type { Emit } from "../agent/run/run-context.ts";
import { follow } from "../agent/turn/run-ending.ts";
import { SessionWriter } from "../agent/transcript/session-writer.ts";
import { completeLog } from "../agent/turn/complete-log.ts";
import { CompactionError } from "../compaction/compaction-error.ts";
import type { Keep } from "../compaction/compaction-plan.ts";
import { compactSession, outlineCompaction, type CompactionOutline } from "../compaction/compact-session.ts";
import type { Model } from "../providers/model.ts";
import { isModelError } from "../providers/model-error.ts";
import type { HostState } from "../store/open-state.ts";

/** A compaction that somebody asks for. */
export interface AskedCompaction {
  readonly sessionId: string;
  /** What stays as it is. Default: the two newest turns. */
  readonly keep?: Keep | undefined;
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What it works with. */
export interface AskedCompactionPorts {
  readonly state: HostState;
  readonly model: Model;
  readonly clock: Clock;
  readonly leaseMs?: number | undefined;
  /** Told when the lease of a process that is gone has to run out first. */
  readonly waiting?: ((reason: string) => void) | undefined;
}

/** A compaction that was done. */
export interface DoneCompaction extends CompactionOutline {
  readonly usage: TokenUsage;
}

const DEFAULT_KEEP: Keep = { unit: "turns", count: 2 };

/** What a compaction would come to; nothing is asked or written. @throws CompactionError */
export async function previewCompaction(
  { store }: Pick<HostState, "store">,
  { sessionId, keep = DEFAULT_KEEP, signal = new AbortController().signal }: AskedCompaction,
): Promise<CompactionOutline> {
  const head = await store.head(sessionId, { signal });
  refuseUnsettled(head);
  const ports = { store, signal, writer: { head, len: head.len } };
  const { summarised, kept, tokensBefore, tokensAfter } = await outlineCompaction(ports, { keep });
  return { summarised, kept, tokensBefore, tokensAfter };
}

/**
 * Compacts a session between its turns.
 *
 * @throws CompactionError, ModelError, DeadlineError; SessionError `lease_held` while a turn runs in it elsewhere; the reason
 * of an abort.
 */
export async function compactAsked(
  { state, model, clock, leaseMs, waiting }: AskedCompactionPorts,
  { sessionId, keep = DEFAULT_KEEP, deadlineMs, signal }: AskedCompaction,
): Promise<DoneCompaction> {
  const { store, events } = state;
  const ending = new Cue();
  const unfollow = follow([signal], ending);
  const stopAlarm =
    deadlineMs === undefined
      ? undefined
      : clock.alarm(deadlineMs, () => ending.abort(new DeadlineError(deadlineMs)));
  let writer: SessionWriter | undefined;
  try {
    const open = (writer = await SessionWriter.open(store, sessionId, {
      clock,
      ending,
      leaseMs,
      ...(waiting && { waiting }),
    }));
    refuseUnsettled(open.head);
    const scope = { session: sessionId };
    const emit: Emit = (type, data) => events.emit(scope, type, data);
    await completeLog({ events, store, scope, head: open.head });
    const ask: Parameters<typeof compactSession>[0]["ask"] = (request) =>
      hearOut(model, request, { emit, signal: ending.signal }).catch(async (error: unknown) => {
        if (isModelError(error)) await keepUsage(open, error.usage);
        throw error;
      });
    const ports = {
      store,
      writer: open,
      member: open.head.binding?.member,
      emit,
      signal: ending.signal,
      ask,
    };
    return await compactSession(ports, { trigger: "asked", keep });
  } finally {
    stopAlarm?.();
    unfollow();
    await writer?.close();
    await events.flush();
  }
}

/** What waits in a session stays as it is: it is not summarised, and nothing is put behind it. */
function refuseUnsettled({ id, runTurn, openCalls, pendingApprovals }: SessionRecord): void {
  const why =
    pendingApprovals > 0
      ? "a call in it waits for an approval: answer it (basis approvals list), and let its turn end"
      : openCalls.length > 0 || runTurn !== null
        ? "a turn in it has not ended: go on with it first (basis run --session)"
        : undefined;
  if (why !== undefined)
    throw new CompactionError("not_settled", `the session cannot be compacted now: ${why}`, { session: id });
}
