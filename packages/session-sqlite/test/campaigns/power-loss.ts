import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/index.ts";
import type { Dice } from "./dice.ts";
import type { DiskEvent } from "./disk-log.ts";

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
  let acknowledged = 0;
  for (const event of events.slice(0, at)) {
    if (event.what === "told") {
      acknowledged = Math.max(acknowledged, Number(/done (\d+)/.exec(event.text)?.[1] ?? 0));
      continue;
    }
    if (!/\.db(?:-wal)?$/.test(event.path)) continue;
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
  return { files: new Map(contents), acknowledged };
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
export async function problemAfter(
  { files, acknowledged }: PowerLoss,
  directory: string,
): Promise<string | undefined> {
  mkdirSync(directory, { mode: 0o700 });
  try {
    for (const [name, content] of files) writeFileSync(join(directory, name), content, { mode: 0o600 });
    return await lookAt(join(directory, "store.db"), acknowledged);
  } catch (error) {
    return `it cannot be opened: ${String(error)}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function lookAt(path: string, acknowledged: number): Promise<string | undefined> {
  const store = await openSqliteStore(path);
  try {
    const checker = await store.extend({ name: "checker", migrations: [] });
    const verdict = await checker.read(({ sql }) => sql.get("SELECT * FROM pragma_integrity_check"));
    if (verdict?.["integrity_check"] !== "ok") return `it is damaged: ${JSON.stringify(verdict)}`;
    const member = await store.members.get("planner");
    if (member === undefined) return acknowledged === 0 ? undefined : "the session is lost";
    let next = 0;
    for await (const { body } of store.read(member.sessionId)) {
      const isNext = typeof body.content === "string" && body.content.startsWith(`commit ${next}`);
      if (!isNext) return `commit ${next} says something else`;
      next += 1;
    }
    if (next < acknowledged) return `${acknowledged} commits were acknowledged, ${next} are there`;
    return next <= acknowledged + 1
      ? undefined
      : `${next} commits are there, ${acknowledged} were acknowledged`;
  } finally {
    await store.close();
  }
}
