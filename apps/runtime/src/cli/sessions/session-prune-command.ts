import { systemClock } from "@basis/core";
import type { CollectionReport, SessionRecord } from "@mobkit/session";
import { isRunning } from "@mobkit/session";
import { hostForks } from "../../agent/forks/host-forks.ts";
import { relayForkEvents } from "../../agent/forks/relay-forks.ts";
import { removeSession, whyKept, type RemovalPorts } from "../../host/session-removal.ts";
import { clearOut } from "../../host/tend-store.ts";
import { everySession } from "../../store/every-session.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { consentToDelete, refuseDeletionByAgents } from "./consent.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { flag, type Option } from "../arguments/option.ts";
import { answer, counted, progress } from "../terminal/output-format.ts";
import { inWords } from "./session-rm-command.ts";
import { viewSession, type SessionView } from "../../store/session-view.ts";

const DAY_MS = 86_400_000;

const age: Option<number> = {
  about:
    "also delete sessions in which nothing was written for that long: not those that run, wait for an approval, have a turn in the queue or were never seated; forks of them stay whole",
  value: "30d",
  read(given) {
    const found = /^(\d{1,5})(d|w)$/.exec(given);
    const days = found ? Number(found[1]) * (found[2] === "w" ? 7 : 1) : 0;
    if (days === 0) throw new UsageError([`takes days or weeks such as 30d or 8w, not '${given}'`]);
    return days * DAY_MS;
  },
};

const options = {
  "older-than": age,
  "dry-run": flag("tell what would go; delete nothing"),
  yes: flag("do not ask"),
  json: flag("the figures as JSON on standard output"),
};

type PruneArguments = Arguments<typeof options>;

/** `basis sessions prune`. */
export const sessionPruneCommand: Command = defineCommand({
  name: "sessions prune",
  about: "Give back the room of what no session reaches any more, and delete old sessions if told.",
  more: [
    "Unreached are the messages of deleted sessions and of rolled back turns that no fork inherited, and attachments that nothing names. They are marked first and go when they are found unreached again an hour later, so that nobody who reads or writes meanwhile loses something. Runs do the same by themselves, once an hour.",
    "It works beside running turns and may be stopped at any moment. The store's file keeps its size; the room in it is used again.",
  ],
  options,
  examples: [
    ["basis sessions prune --dry-run", "what would go now, and what later"],
    ["basis sessions prune --older-than 30d --yes", "in a nightly job"],
  ],
  async run(args, context) {
    if (!args.options["dry-run"]) refuseDeletionByAgents(context.env, "sessions prune");
    return withState(context, (state) => prune(state, args, context));
  },
});

async function prune(
  state: HostState,
  { options: given }: PruneArguments,
  context: CommandContext,
): Promise<ExitCode> {
  const { store, events } = state;
  const { signal } = context.interrupt;
  const old = await oldSessions(state, given["older-than"], signal);
  const views = await Promise.all(old.map((record) => viewSession(store, record)));
  if (given["dry-run"]) {
    const collection = await store.upkeep?.collect({ dryRun: true, signal });
    tell({ dryRun: true, sessions: views, kept: [], collection }, given.json ?? false);
    return exitCode.ok;
  }
  if (views.length > 0) {
    const lines = views.map((view) => `goes: ${inWords(view)}`);
    const declined = await consentToDelete(
      { command: "sessions prune", lines, agreed: given.yes ?? false },
      context,
    );
    if (declined !== undefined) return declined;
  }
  const kept = await removeOld(state, old, signal);
  const forks = hostForks({ store, rules: state.ledger.rules });
  await relayForkEvents({ store, events, forks, now: systemClock.now(), signal });
  const { forgetOrphanTurns } = await import("../../queue/forget-turns.ts");
  await forgetOrphanTurns(state);
  const collection = await clearOut({ state, signal });
  const sessions = views.filter(({ session }) => !kept.some((each) => each.session === session));
  tell({ dryRun: false, sessions, kept, collection }, given.json ?? false);
  return exitCode.ok;
}

async function oldSessions(
  state: HostState,
  ageMs: number | undefined,
  signal: AbortSignal,
): Promise<readonly SessionRecord[]> {
  if (ageMs === undefined) return [];
  const now = systemClock.now();
  const { sessionsWithTurns } = await import("../../queue/forget-turns.ts");
  const queued = await sessionsWithTurns(state);
  const old: SessionRecord[] = [];
  for await (const record of everySession(state.store, { signal })) {
    const { lease, updatedAt } = record;
    const isHeld = lease.owner !== null && (lease.expiresAt ?? 0) > now;
    if (record.state !== "ready" && record.state !== "archived") continue;
    if (queued.has(record.id)) continue;
    if (now - updatedAt >= ageMs && !isHeld && !isRunning(record)) old.push(record);
  }
  return old;
}

interface KeptSession {
  readonly session: string;
  readonly why: string;
}

/** Deletes them unless somebody has taken one up meanwhile; answers those that stay. */
async function removeOld(
  { store, ledger, events }: HostState,
  old: readonly SessionRecord[],
  signal: AbortSignal,
): Promise<readonly KeptSession[]> {
  const forks = hostForks({ store, rules: ledger.rules });
  const ports: RemovalPorts = {
    store,
    ledger,
    events,
    forks,
    clock: systemClock,
    signal,
    onlyUnchanged: true,
  };
  const kept: KeptSession[] = [];
  for (const record of old) {
    const session = record.id;
    try {
      if (!(await removeSession(ports, record))) kept.push({ session, why: "it was written to meanwhile" });
    } catch (error) {
      const why = whyKept(error);
      if (why === undefined) throw error;
      kept.push({ session, why });
    }
  }
  return kept;
}

interface PruneReport {
  readonly dryRun: boolean;
  readonly sessions: readonly SessionView[];
  readonly kept: readonly KeptSession[];
  readonly collection: CollectionReport | undefined;
}

function tell({ dryRun, sessions, kept, collection }: PruneReport, asJson: boolean): void {
  const none = { rows: 0, blobs: 0, bytes: 0 };
  const { gone = none, waiting = none } = collection ?? {};
  if (asJson) {
    const ids = sessions.map(({ session }) => session);
    answer(JSON.stringify({ dry_run: dryRun, sessions: ids, kept, freed: gone, waiting }));
    return;
  }
  for (const view of sessions) answer(`${dryRun ? "would go" : "gone"}: ${inWords(view)}`);
  for (const { session, why } of kept) progress(`stays: ${session}, since ${why}`);
  answer(`${dryRun ? "would be freed" : "freed"}: ${amount(gone)}`);
  if (waiting.rows + waiting.blobs > 0)
    answer(`unreached, and freed by a prune in an hour: ${amount(waiting)}`);
}

function amount({ rows, blobs, bytes }: CollectionReport["gone"]): string {
  return `${counted(rows, "message")}, ${counted(blobs, "attachment")}, ${bytes} bytes`;
}
