import type { Connection } from "./connection.ts";
import type { SqlStatement } from "./sql.ts";

/** Sends statements in one round trip; fails with the first failure, once every answer is there. */
export async function sendAll(connection: Connection, statements: readonly SqlStatement[]): Promise<void> {
  const sent = statements.map(({ text, values }) => connection.query(text, values));
  const outcomes = await Promise.allSettled(sent);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

export async function undo(connection: Connection): Promise<void> {
  if (!connection.lost) await connection.command("ROLLBACK").catch(() => undefined);
}

export async function undoAfter<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await undo(connection);
  }
}

export async function undoOnFailure<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await undo(connection);
    throw error;
  }
}
