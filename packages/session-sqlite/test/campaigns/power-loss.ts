import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelMessage } from "@mobkit/session";
import { openSqliteStore, type SqliteStore } from "../../src/index.ts";
import type { Dice } from "./dice.ts";
import type { DiskEvent } from "./disk-log.ts";

type Store = SqliteStore<ModelMessage>;

/** The unit in which a disk writes: a write that was not synced may be cut at a multiple of it. */
const SECTOR_BYTES = 512;

type Change = Extract<DiskEvent, { what: "write" | "truncate" }>;

/** A file's content: what is certain, and what was asked for since the last sync. */
interface DiskFile {
  content: Buffer;
  pending: Change[];
}

/** What a disk may hold after the power was lost. */
export interface PowerLoss {
  /** Contents by the file's name. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Commits that were acknowledged before. */
  readonly acknowledged: number;
  /** Lengths at which a fork was acknowledged. */
  readonly forks: readonly number[];
}

/** How much of what wasn't synced is on the disk. */
type Fate = "nothing" | "everything" | "some" | "some torn";
const FATES: readonly Fate[] = ["nothing", "everything", "some", "some torn"];

/**
 * The disk after a loss of power before the event of that number: of what wasn't synced some writes are there, in any
 * selection, and some of them in part. With `syncsLie` a sync promises nothing.
 */
export function losePower(
  events: readonly DiskEvent[],
  at: number,
  options: { readonly dice: Dice; readonly syncsLie?: boolean },
): PowerLoss {
  const { dice, syncsLie = false } = options;
  const files = new Map<string, DiskFile>();
  const before = events.slice(0, at);
  for (const event of before) {
    if (event.what === "told" || !/\.db(?:-wal)?$/.test(event.path)) continue;
    const file = files.get(event.path) ?? { content: Buffer.alloc(0), pending: [] };
    files.set(event.path, file);
    if (event.what !== "sync") file.pending.push(event);
    else if (!syncsLie) settle(file, { fate: "everything", dice });
  }
  const fate = FATES[dice(FATES.length)]!;
  for (const file of files.values()) settle(file, { fate, dice });
  const contents = [...files].map(
    ([path, { content }]) => [path.slice(path.lastIndexOf("/") + 1), content] as const,
  );
  const acknowledged = numbersTold(before, /done (\d+)/).at(-1) ?? 0;
  return { files: new Map(contents), acknowledged, forks: numbersTold(before, /forked (\d+)/) };
}

/** The numbers that a process has told in lines of that form. */
function numbersTold(events: readonly DiskEvent[], form: RegExp): number[] {
  return events.flatMap((event) => {
    const [, number] = event.what === "told" ? (form.exec(event.text) ?? []) : [];
    return number === undefined ? [] : [Number(number)];
  });
}

function settle(file: DiskFile, { fate, dice }: { readonly fate: Fate; readonly dice: Dice }): void {
  for (const change of file.pending) {
    if (fate === "nothing" || (fate !== "everything" && dice(2) === 0)) continue;
    apply(file, fate === "some torn" && dice(2) === 0 ? torn(change, dice) : change);
  }
  file.pending = [];
}

function torn(change: Change, dice: Dice): Change {
  if (change.what === "truncate") return change;
  const sectors = Math.ceil(change.data.length / SECTOR_BYTES);
  return { ...change, data: change.data.subarray(0, dice(sectors + 1) * SECTOR_BYTES) };
}

function apply(file: DiskFile, change: Change): void {
  if (change.what === "truncate") {
    file.content = resized(file.content, change.length);
    return;
  }
  const end = change.offset + change.data.length;
  if (end > file.content.length) file.content = resized(file.content, end);
  change.data.copy(file.content, change.offset);
}

/** A copy of that length, zeros where there was nothing. */
function resized(content: Buffer, length: number): Buffer {
  const next = Buffer.alloc(length);
  content.copy(next);
  return next;
}

/** Opens what a loss of power has left. Answers what is wrong with it; undefined when nothing is. */
export async function problemAfter(loss: PowerLoss, directory: string): Promise<string | undefined> {
  mkdirSync(directory, { mode: 0o700 });
  try {
    for (const [name, content] of loss.files) writeFileSync(join(directory, name), content, { mode: 0o600 });
    return await lookAt(join(directory, "store.db"), loss);
  } catch (error) {
    return `it cannot be opened: ${String(error)}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function lookAt(path: string, { acknowledged, forks }: PowerLoss): Promise<string | undefined> {
  const store = await openSqliteStore(path);
  try {
    const checker = await store.extend({ name: "checker", migrations: [] });
    const verdict = await checker.read(({ sql }) => sql.get("SELECT * FROM pragma_integrity_check"));
    if (verdict?.["integrity_check"] !== "ok") return `it is damaged: ${JSON.stringify(verdict)}`;
    const member = await store.members.get("planner");
    if (member === undefined) return acknowledged === 0 ? undefined : "the session is lost";
    const problem = await lookAtCommits(store, member.sessionId, acknowledged);
    return problem ?? (await lookAtForks(store, forks));
  } finally {
    await store.close();
  }
}

async function lookAtCommits(
  store: Store,
  sessionId: string,
  acknowledged: number,
): Promise<string | undefined> {
  let next = 0;
  for await (const { body } of store.read(sessionId)) {
    const isNext = typeof body.content === "string" && body.content.startsWith(`commit ${next}`);
    if (!isNext) return `commit ${next} says something else`;
    next += 1;
  }
  if (next < acknowledged) return `${acknowledged} commits were acknowledged, ${next} are there`;
  return next <= acknowledged + 1
    ? undefined
    : `${next} commits are there, ${acknowledged} were acknowledged`;
}

/** A fork that was acknowledged is seated; any other is whole or isn't there. */
async function lookAtForks(store: Store, forks: readonly number[]): Promise<string | undefined> {
  for (const length of forks) {
    const child = await store.members.get(`child ${length}`);
    if (child === undefined) return `the fork at ${length} was acknowledged and is lost`;
  }
  for (const { source, child } of (await store.operations.list({ limit: 1000 })).items) {
    const { digest } = await store.prefix(child.sessionId, source.len);
    if (digest !== source.digest) return `the fork at ${source.len} has another prefix`;
  }
  return undefined;
}
