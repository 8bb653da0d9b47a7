import type { StoreConnection } from "./store-connection.ts";

/** Lets timers and input have their turn: what reads much, step by step, must not keep the event loop to itself. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Reads in one short transaction, after others had their turn: one step of many. */
export async function readInTurn<T>(connection: StoreConnection, work: () => T): Promise<T> {
  await nextTurn();
  return connection.read(work);
}
