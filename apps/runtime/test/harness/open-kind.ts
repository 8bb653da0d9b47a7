import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { memoryState, openState, type HostState } from "../../src/store/open-state.ts";
import { openDatabaseState } from "./database-state.ts";
import type { StateKind } from "./test-host.ts";

/**
 * An empty state, and as many openings of it as are asked for, as by several machines; all are closed with the test. A
 * process opens a file once, so there and in memory every opening is the same.
 */
export async function openingsOf(kind: StateKind): Promise<() => Promise<HostState>> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "basis-state-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const closing = <T extends HostState>(state: T): T => {
    onTestFinished(() => state.close());
    return state;
  };
  if (kind === "postgres") return async () => closing(await openDatabaseState(directory));
  const only = closing(kind === "memory" ? memoryState() : await openState(directory));
  return async () => only;
}
