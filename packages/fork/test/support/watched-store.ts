import type { Store } from "./stores.ts";

let inFlight = 0;

/** True while a watched store has been asked something that it has not answered. */
export function isAnyoneAsking(): boolean {
  return inFlight > 0;
}

/** The same store, whose calls are counted while they wait for their answer. */
export function watchedStore(store: Store): Store {
  const { members, operations, forks, blobs, outbox } = store;
  return {
    ...watched(store),
    members: watched(members),
    operations: watched(operations),
    forks: watched(forks),
    blobs: watched(blobs),
    outbox: watched(outbox),
  };
}

function watched<Face extends object>(face: Face): Face {
  const entries = Object.entries(face).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "function" ? watchedCall(value as (...args: unknown[]) => unknown) : value,
  ]);
  return Object.fromEntries(entries) as Face;
}

function watchedCall(call: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  return (...args) => {
    const answer = call(...args);
    if (answer instanceof Promise) {
      inFlight += 1;
      const done = (): void => void (inFlight -= 1);
      answer.then(done, done);
    }
    return answer;
  };
}
