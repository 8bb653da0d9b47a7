import { join } from "node:path";
import { makeGrantToken } from "../../../src/approvals/grant-token.ts";
import type { Ended } from "./basis-process.ts";
import type { Bench } from "./bench.ts";

/** A session whose call waits, and what answers it. */
export interface Waiting {
  readonly ended: Ended;
  readonly id: string;
  readonly session: string;
}

/** Runs a prompt that ends parked. */
export async function park(bench: Bench, model: string, ...more: readonly string[]): Promise<Waiting> {
  const ended = await bench.run(["run", "go on", "--approve", "park", "--json", "--model", model, ...more]);
  const id = ended.events().findLast(({ type }) => type === "run_finished")!.data as { approval_id?: string };
  if (id.approval_id === undefined) throw new Error(`it did not park: ${ended.stdout}\n${ended.stderr}`);
  return { ended, id: id.approval_id, session: ended.event("run_started").session };
}

/** A file with the token, made anew, as options of a command that grants. */
export function tokenOptions(bench: Bench): readonly string[] {
  return ["--token-file", bench.write(join(bench.base, "token"), `${makeGrantToken(bench.data)}\n`, 0o600)];
}
