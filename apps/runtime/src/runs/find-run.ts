import { isSessionError, type SessionRecord } from "@mobkit/session";
import { StartError } from "../config/start-error.ts";
import { everySession } from "../store/every-session.ts";
import type { HostStore } from "../store/host-store.ts";
import type { HostState } from "../store/open-state.ts";
import type { RunPlace } from "./run-watch.ts";

/**
 * The run of that id; or the one that runs in the session of that id or name, else the last one that ran there.
 *
 * @throws StartError `session`
 */
export async function findRun({ store, events }: HostState, name: string): Promise<RunPlace> {
  const session = await sessionCalled(store, name);
  if (session !== undefined) {
    const run = session.runTurn ?? (await lastRun(events, session.id));
    if (run !== undefined) return { session: session.id, run };
    throw new StartError("session", [`nothing has run in session '${name}' yet`]);
  }
  const found = (await runningIn(store, name)) ?? (await events.sessionOf(name));
  if (found !== undefined) return { session: found, run: name };
  throw new StartError("session", [
    `there is no run and no session '${name}'; 'basis sessions list' shows what there is, and a run's id stands in its events`,
  ]);
}

/** The runs that have not ended, oldest session first; those of delegated children are their parent's concern. */
export async function runsUnderWay(store: HostStore): Promise<readonly RunPlace[]> {
  const found: RunPlace[] = [];
  for await (const { id, runTurn, spawnedBy } of everySession(store))
    if (runTurn !== null && spawnedBy === null) found.push({ session: id, run: runTurn });
  return found;
}

async function sessionCalled(store: HostStore, name: string): Promise<SessionRecord | undefined> {
  const member = await store.members.get(name);
  try {
    return await store.head(member?.sessionId ?? name);
  } catch (error) {
    if (isSessionError(error, "unknown_session")) return undefined;
    throw error;
  }
}

/** The run that the newest of a log's events belongs to. */
export async function lastRun(events: HostState["events"], session: string): Promise<string | undefined> {
  for await (const { run } of events.readBack(session)) if (run !== undefined) return run;
  return undefined;
}

async function runningIn(store: HostStore, run: string): Promise<string | undefined> {
  for await (const { id, runTurn } of everySession(store)) if (runTurn === run) return id;
  return undefined;
}
