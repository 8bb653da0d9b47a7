import type { OutputSpec } from "@basis/typed-output";
import type { SessionRecord } from "@mobkit/session";
import { readWaitingOutput } from "../../agent/turn/kept-account.ts";
import { lastRow } from "../../agent/transcript/last-row.ts";
import { StartError } from "../../config/start-error.ts";
import { outputSchema } from "../../host/output-schema.ts";
import { findSession } from "../../store/find-session.ts";
import type { HostStore } from "../../store/host-store.ts";
import { UsageError } from "../terminal/exit-code.ts";
import { shellWord } from "../terminal/shell-word.ts";

/** The session that was named, and whether something must be waiting in it because no prompt came with it. */
export interface SessionChoice {
  readonly name: string;
  readonly needsWork: boolean;
}

/**
 * The session to go on in.
 *
 * @throws StartError `session` when there is none, or when it can't be written.
 * @throws UsageError when nothing waits in it and no prompt was given.
 */
export async function findSessionToRun(
  store: HostStore,
  { name, needsWork }: SessionChoice,
): Promise<SessionRecord> {
  const session = await findSession(store, name);
  if (session.state !== "ready") throw new StartError("session", [whyUnavailable(session, name)]);
  if (needsWork && !(await hasWork(store, session)))
    throw new UsageError([
      `nothing waits in session '${name}'; say what to do: basis run --session ${shellWord(name)} "PROMPT"`,
    ]);
  return session;
}

/** A turn goes on to the end that it began for: prose, or a value of the same schema. @throws UsageError */
export async function refuseOtherEnd(
  store: HostStore,
  going: { readonly session: SessionRecord | undefined; readonly spec: OutputSpec<unknown> | undefined },
): Promise<void> {
  const { session, spec } = going;
  if (session === undefined || session.pendingApprovals === 0) return;
  const waiting = await readWaitingOutput(store, session.id);
  if (waiting?.schema === (spec && outputSchema(spec))) return;
  throw new UsageError([
    waiting === undefined
      ? "the turn that waits answers in prose: leave out --output"
      : "the turn that waits answers with a value: go on with the same --output SCHEMA.json",
  ]);
}

function whyUnavailable({ id, state }: SessionRecord, name: string): string {
  if (state === "pending")
    return `session '${name}' is a fork that was committed and not seated; finish it with: basis fork --recover ${id}`;
  return `session '${name}' is ${state === "tombstone" ? "deleted" : state} and takes no more turns; fork it, or start a new one`;
}

/** True when the next round has something to answer: a queued input, an open call, or a last row that is not the model's own end. */
async function hasWork(store: HostStore, session: SessionRecord): Promise<boolean> {
  if (session.queuedInputs > 0 || session.openCalls.length > 0) return true;
  const last = await lastRow(store, session.id, session.len);
  return last !== undefined && last.body.role !== "assistant";
}
