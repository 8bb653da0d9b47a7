import { isSessionError, memoryStore, type SessionStore, type TranscriptShape } from "@mobkit/session";

/** A message with what is open once it has been said. */
export interface Said<M> {
  readonly message: M;
  readonly open: readonly string[];
}

/** A message of a fixture. */
export function said<M>(message: M, ...open: readonly string[]): Said<M> {
  return { message, open };
}

/** A store of a shape, with one session and the means to append to it. */
export async function session<M>(shape: TranscriptShape<M>) {
  const store: SessionStore<M, undefined> = memoryStore({ shape });
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
  const append = async (...messages: readonly M[]): Promise<void> => {
    await store.append(id, { lease, expectedRev: (await store.head(id)).rev, messages });
  };
  return { store, id, append };
}

/** Appends the messages one by one; answers what the store holds open after each. */
export async function openAfterEach<M>(
  shape: TranscriptShape<M>,
  messages: readonly M[],
): Promise<string[][]> {
  const { store, id, append } = await session(shape);
  const open: string[][] = [];
  for (const message of messages) {
    await append(message);
    open.push([...(await store.head(id)).openCalls]);
  }
  return open;
}

/** The code and reason with which a session refuses a message after others. */
export async function refusal<M>(shape: TranscriptShape<M>, ...messages: readonly M[]): Promise<string> {
  const { append } = await session(shape);
  try {
    for (const message of messages.slice(0, -1)) await append(message);
  } catch (error) {
    return `refused before: ${String(error)}`;
  }
  try {
    await append(messages.at(-1)!);
    return "appended";
  } catch (error) {
    if (isSessionError(error, "invalid_message")) return error.details.problem;
    return isSessionError(error) ? error.code : String(error);
  }
}
