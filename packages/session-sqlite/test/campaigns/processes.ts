import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ModelMessage } from "@mobkit/session";
import type { SqliteStore } from "../../src/index.ts";
import type { Dice } from "./dice.ts";

const WORKER = fileURLToPath(new URL("programs/worker.mjs", import.meta.url));

/** What one process has told, line by line. */
export type Fact = readonly string[];

/** A run of several processes on one file. */
export interface Crowd {
  readonly path: string;
  readonly processes: number;
  /** Operations of each. */
  readonly operations: number;
  /** How many processes are killed and begun anew with the rest of their work. */
  readonly kills: number;
  readonly dice: Dice;
}

/** Runs the processes to their end; answers all that they have told, and how many were killed. */
export async function runCrowd(
  crowd: Crowd,
): Promise<{ readonly facts: readonly Fact[]; readonly killed: number }> {
  let killed = 0;
  const work = Array.from({ length: crowd.processes }, async (_, index): Promise<readonly Fact[]> => {
    const isDoomed = index < crowd.kills;
    const first = await runWorker(
      crowd,
      `p${index}`,
      isDoomed ? 1 + crowd.dice(Math.ceil(crowd.operations / 3)) : undefined,
    );
    if (!first.killed) return first.facts;
    killed += 1;
    return [...first.facts, ...(await runWorker(crowd, `p${index}`, undefined)).facts];
  });
  return { facts: (await Promise.all(work)).flat(), killed };
}

/** One process; it is killed as soon as it has told `lastLine` facts. */
function runWorker(
  crowd: Crowd,
  name: string,
  lastLine: number | undefined,
): Promise<{ readonly facts: readonly Fact[]; readonly killed: boolean }> {
  const args = [WORKER, crowd.path, name, String(crowd.dice(2 ** 31)), String(crowd.operations)];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let told = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      if (lastLine !== undefined && told.split("\n").length > lastLine) child.kill("SIGKILL");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code !== 0 && signal !== "SIGKILL")
        return reject(new Error(`${name} ended with ${code ?? signal}: ${errors}`));
      // A killed process may have written half a line: it had not been acknowledged to anybody.
      const lines = told
        .slice(0, told.lastIndexOf("\n") + 1)
        .split("\n")
        .filter((line) => line !== "");
      resolve({ facts: lines.map((line) => JSON.parse(line) as Fact), killed: signal === "SIGKILL" });
    });
  });
}

/** What the store has lost of what was acknowledged, or has that was taken back. */
export async function violationsOf(
  store: SqliteStore<ModelMessage>,
  facts: readonly Fact[],
): Promise<string[]> {
  const of = (...kinds: readonly string[]): readonly Fact[] =>
    facts.filter(([what]) => kinds.includes(what!));
  return [
    ...of("wrong").map(([, text]) => text!),
    ...(await forkViolations(store, of("forked"))),
    ...(await endViolations(store, of("ended"))),
    ...(await textViolations(store, of("said", "unsaid", "redacting", "redacted"))),
  ];
}

async function forkViolations(store: SqliteStore<ModelMessage>, forked: readonly Fact[]): Promise<string[]> {
  const violations: string[] = [];
  for (const [, key, id] of forked) {
    const found = (await store.operations.ofKey(key!))?.id;
    if (found !== id) violations.push(`the fork ${id} of ${key} is lost: there is ${found}`);
  }
  return violations;
}

async function endViolations(store: SqliteStore<ModelMessage>, ended: readonly Fact[]): Promise<string[]> {
  const violations: string[] = [];
  for (const [, id, state] of ended) {
    if ((await store.operations.get(id!))?.state !== state) violations.push(`the fork ${id} is not ${state}`);
  }
  return violations;
}

/** A text that was said stands once, unless it was taken back or redacted; a redaction that was only begun allows both. */
async function textViolations(store: SqliteStore<ModelMessage>, told: readonly Fact[]): Promise<string[]> {
  const wanted = new Map<string, { session: string; text: string; counts: readonly number[] }>();
  const counts: Readonly<Record<string, readonly number[]>> = {
    said: [1],
    unsaid: [0],
    redacting: [0, 1],
    redacted: [0],
  };
  for (const [what, session, text] of told) {
    wanted.set(`${session} ${text}`, { session: session!, text: text!, counts: counts[what!]! });
  }
  const sessions = new Map<string, Map<string, number>>();
  const violations: string[] = [];
  for (const { session, text, counts: allowed } of wanted.values()) {
    const texts = sessions.get(session) ?? (await textsOf(store, session));
    sessions.set(session, texts);
    const found = texts.get(text) ?? 0;
    if (!allowed.includes(found))
      violations.push(`"${text.slice(0, 40)}" stands ${found} times in ${session}`);
  }
  return violations;
}

/** How often a session says what. */
async function textsOf(store: SqliteStore<ModelMessage>, sessionId: string): Promise<Map<string, number>> {
  const texts = new Map<string, number>();
  for await (const { body } of store.read(sessionId)) {
    if (typeof body.content === "string") texts.set(body.content, (texts.get(body.content) ?? 0) + 1);
  }
  return texts;
}
