import { join } from "node:path";
import { loadDriver } from "@mobkit/session-sqlite";
import type { Bench } from "./bench.ts";

/** Brings the ends of all leases and claims nearer, as if so much time had passed: those of a killed process last 15 s. */
export async function passTime(bench: Bench, ms: number): Promise<void> {
  const db = (await loadDriver()).open(join(bench.data, "sessions.db"));
  try {
    db.exec(`PRAGMA busy_timeout = 5000;
      UPDATE session SET lease_expires_at = lease_expires_at - ${ms};
      UPDATE fork_op SET claim_expires_at = claim_expires_at - ${ms};`);
  } finally {
    db.close();
  }
}
