import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { QueueError } from "../queue-error.ts";

/** The engine's package: DBOS Transact. */
export type Engine = typeof import("@dbos-inc/dbos-sdk");

const PACKAGE = "@dbos-inc/dbos-sdk";

/** @throws unless the engine's package is installed. */
export function requireEngine(): void {
  createRequire(import.meta.url).resolve(PACKAGE);
}

/** Loads the engine on first use. @throws QueueError `engine_missing`, `engine_unfit` */
export async function loadEngine(): Promise<Engine> {
  try {
    requireEngine();
  } catch (cause) {
    const message = `a queue on Postgres is run by ${PACKAGE}, which is not installed: npm install ${PACKAGE}@5`;
    throw new QueueError("engine_missing", message, { details: { package: PACKAGE }, cause });
  }
  const found = installedVersion();
  if (found !== undefined && !fits(found)) {
    const message = `a queue on Postgres is run by ${PACKAGE} 5.3 or a later 5, and ${found} is installed: npm install ${PACKAGE}@5`;
    throw new QueueError("engine_unfit", message, { details: { package: PACKAGE, found } });
  }
  return import("@dbos-inc/dbos-sdk");
}

/** Undefined where packages lie in no folders. */
function installedVersion(): string | undefined {
  for (const folder of createRequire(import.meta.url).resolve.paths(PACKAGE) ?? []) {
    try {
      const text = readFileSync(join(folder, PACKAGE, "package.json"), "utf8");
      return (JSON.parse(text) as { readonly version?: string }).version;
    } catch {
      // not in this one
    }
  }
  return undefined;
}

/** What the host's package asks for beside it: what each release of the engine does with another's tables is its own affair. */
function fits(version: string): boolean {
  const [major, minor] = version.split(".").map(Number);
  return major === 5 && minor !== undefined && minor >= 3;
}

/** Runs a call of the engine; what its database refuses is told as the queue's error. */
export async function askEngine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof QueueError) throw error;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    const message = `the queue's database did not do this (${reason}): nothing was lost; try again once it answers`;
    throw new QueueError("engine_unavailable", message, { details: { reason }, cause: error });
  }
}

/** The engine's first pause before it asks again. */
const FIRST_PAUSE_S = 0.1;

/**
 * Bounds the pauses with which the engine asks again after a lost connection: its own grow to a minute, and a worker would
 * be deaf for as long once its database is back.
 */
export async function boundRetries(longestMs: number): Promise<void> {
  const { dbRetryConfig } = await import("@dbos-inc/dbos-sdk/internal/utils");
  const longest = longestMs / 1000;
  Object.assign(dbRetryConfig, {
    initialBackoffSec: Math.min(FIRST_PAUSE_S, longest),
    maxBackoffSec: longest,
  });
}
