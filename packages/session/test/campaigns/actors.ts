import type { Lease, SessionRecord } from "@mobkit/session";
import type { Actor, Turn } from "./schedule.ts";
import {
  appendAsked,
  commitFork,
  count,
  nextMessages,
  noteAppend,
  pick,
  refused,
  type AskedAppend,
  type AskedFork,
  type World,
} from "./world.ts";

/** How long a lease or a claim lasts, and how far the time goes in one step: they run out under their owners. */
const TTL_MS = 50;

async function someSession(world: World, turn: Turn): Promise<SessionRecord | undefined> {
  const { items } = await turn(() => world.store.listSessions({ state: "ready" }));
  return pick(world.dice, items);
}

function lease(world: World, turn: Turn, sessionId: string): Promise<Lease | false> {
  return turn(() => world.store.acquireLease(sessionId, { owner: "actor", ttlMs: TTL_MS })).catch(
    (error: unknown) => refused(world, error),
  );
}

/** Leases a session and says things in it, each under a write id. */
export function appender(world: World): Actor {
  return async (turn) => {
    const session = await someSession(world, turn);
    if (session === undefined) return;
    const held = await lease(world, turn, session.id);
    if (held === false) return;
    let { rev, openCalls } = await turn(() => world.store.head(session.id));
    for (let left = 1 + world.dice(3); left > 0; left -= 1) {
      const messages = nextMessages(world, openCalls);
      const asked: AskedAppend = { sessionId: session.id, writeId: `w${world.next()}`, messages };
      world.askedAppends.set(asked.writeId, asked);
      const terms = { lease: held, expectedRev: rev };
      const result = await turn(() => appendAsked(world, asked, terms)).catch((error: unknown) => {
        world.askedAppends.delete(asked.writeId);
        return refused(world, error);
      });
      if (result === false) return;
      noteAppend(world, asked, result);
      ({ rev, openCalls } = await turn(() => world.store.head(session.id)));
    }
    if (world.dice(2) === 0) await turn(() => world.store.releaseLease(held));
  };
}

/** Rolls a session back to a length of its own. */
export function canceller(world: World): Actor {
  return async (turn) => {
    const session = await someSession(world, turn);
    if (session === undefined) return;
    const held = await lease(world, turn, session.id);
    if (held === false) return;
    const { rev, len, baseLen } = await turn(() => world.store.head(session.id));
    const to = baseLen + world.dice(len - baseLen + 1);
    const messages = world.dice(2) === 0 ? nextMessages(world, []) : [];
    const request = { lease: held, expectedRev: rev, to, reason: "changed my mind", messages };
    await turn(() => world.store.cancel(session.id, request)).then(
      () => count(world, "cancel"),
      (error: unknown) => refused(world, error),
    );
  };
}

/** Forks a session under a key that others may use as well, and seats the child, or leaves it, or gives it up. */
export function forker(world: World): Actor {
  return async (turn) => {
    const source = await someSession(world, turn);
    const member = source?.binding?.member;
    if (source === undefined || member === undefined) return;
    const key = `key ${world.dice(3)}`;
    const asked: AskedFork = world.askedForks.get(key) ?? {
      key,
      source: { member, sessionId: source.id },
      child: `child ${world.dice(3)}`,
    };
    world.askedForks.set(key, asked);
    const made = await turn(() => commitFork(world, asked)).catch((error: unknown) => refused(world, error));
    if (made === false) return;
    count(world, made.replayed ? "commit replayed" : "commit");
    noteKey(world, key, made.operation.id);
    if (made.claim !== null) await endFork(world, turn, made.claim);
  };
}

function noteKey(world: World, key: string, operationId: string): void {
  const known = world.keys.get(key);
  if (known !== undefined && known !== operationId) throw new Error(`${key} has made two children`);
  world.keys.set(key, operationId);
}

type Claim = Parameters<World["store"]["operations"]["renew"]>[0];

async function endFork(world: World, turn: Turn, claim: Claim): Promise<void> {
  const { store, ends } = world;
  const { operationId } = claim;
  const choice = world.dice(8);
  const act = async (): Promise<"seated" | "abandoned" | undefined> => {
    if (choice === 0) {
      await turn(() => store.forks.abandon({ operationId, claim }));
      return "abandoned";
    }
    if (choice === 1) {
      await turn(() => store.operations.fail(claim, { reason: "no room" }));
      return undefined;
    }
    if (choice === 2) await turn(() => store.operations.renew(claim));
    if (choice === 3) await turn(() => store.operations.amend(claim, { member: `child ${world.next()}` }));
    await turn(() => store.forks.seat({ claim }));
    return "seated";
  };
  await act().then(
    (end) => {
      count(world, end ?? "failed to provision");
      if (end === undefined) return;
      const before = ends.get(operationId);
      if (before !== undefined && before !== end) throw new Error(`${operationId} is ${before} and ${end}`);
      ends.set(operationId, end);
    },
    (error: unknown) => refused(world, error),
  );
}

/** Takes up a fork that was committed and not seated. */
export function resumer(world: World): Actor {
  return async (turn) => {
    const { items } = await turn(() => world.store.operations.list({ state: "committed" }));
    const operation = pick(world.dice, items);
    if (operation === undefined) return;
    const request = { operationId: operation.id, owner: "resumer", ttlMs: TTL_MS };
    const claim = await turn(() => world.store.operations.claim(request)).catch((error: unknown) =>
      refused(world, error),
    );
    if (claim !== false) await endFork(world, turn, claim);
  };
}

/** Collects, rebases, redacts or deletes, each in small steps. */
export function keeper(world: World): Actor {
  const { store, dice } = world;
  const stepSize = 1 + dice(4);
  const kinds: Actor[] = [
    async (turn) => {
      const holds = async (): Promise<readonly string[]> => (await turn.wait(), []);
      await turn(() => store.upkeep.collect({ graceMs: 0, stepSize, holds }));
      count(world, "collection");
    },
    rebaser(world),
    (turn) => redact(world, turn),
    (turn) => remove(world, turn),
  ];
  return kinds[dice(8) === 0 ? 3 : dice(3)]!;
}

/** Rebases whatever has too many spans. */
export function rebaser({ store, dice, tally }: World): Actor {
  return async (turn) => {
    const { copiedRows } = await turn(() => store.upkeep.rebase({ stepSize: 1 + dice(4) }));
    count({ tally }, copiedRows > 0 ? "rebase" : "rebase of nothing");
  };
}

async function redact(world: World, turn: Turn): Promise<void> {
  const session = await someSession(world, turn);
  if (session === undefined || session.len === 0) return;
  const from = world.dice(session.len);
  const rows = world.store.read(session.id, { from, to: from + 1 })[Symbol.asyncIterator]();
  const read = await turn(() => rows.next()).catch((error: unknown) => refused(world, error));
  if (read === false || read.done === true) return;
  const { id } = read.value;
  const request = { sessionId: session.id, messageIds: [id] };
  await turn(() => world.store.upkeep.redact(request)).then(
    () => {
      count(world, "redaction");
      world.redacted.add(id);
    },
    (error: unknown) => refused(world, error),
  );
}

async function remove(world: World, turn: Turn): Promise<void> {
  const session = await someSession(world, turn);
  if (session === undefined) return;
  await turn(() => world.store.setState(session.id, { state: "tombstone" })).then(
    () => {
      count(world, "deletion");
      world.deleted.add(session.id);
    },
    (error: unknown) => refused(world, error),
  );
}

/** Reads a transcript page by page; what is appended or cancelled meanwhile doesn't show. */
export function reader(world: World): Actor {
  return async (turn) => {
    const session = await someSession(world, turn);
    if (session === undefined) return;
    const rows = world.store.read(session.id, { pageSize: 1 + world.dice(3) })[Symbol.asyncIterator]();
    for (let position = 0; ; position += 1) {
      const next = await turn(() => rows.next()).catch((error: unknown) => refused(world, error));
      if (next === false || next.done === true) break;
      if (next.value.position !== position)
        throw new Error(`row ${next.value.position} stands at ${position}`);
    }
    count(world, "read");
  };
}

/** Lets time pass, so that leases and claims run out. */
export function time(world: World): Actor {
  return async (turn) => {
    for (let left = 1 + world.dice(3); left > 0; left -= 1) {
      await turn.wait();
      world.clock.advance(world.dice(TTL_MS * 2));
    }
  };
}
