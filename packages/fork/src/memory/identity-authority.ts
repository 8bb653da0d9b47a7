import { untilAborted } from "@basis/core";
import type { AliasOwner, IdentityAuthority, LifecycleHold } from "../identity-authority.ts";

/** An identity authority whose identities live in this process: for tests, and for hosts of one process. */
export interface MemoryIdentityAuthority extends IdentityAuthority {
  /** Registers an identity, `active` at generation 0. */
  register(identity: string): void;
  /** Waits for the lifecycle, and starts the next generation. `during` runs while the identity is `resetting`. */
  reset(identity: string, during?: () => void | Promise<void>): Promise<void>;
  /** Waits for the lifecycle, and marks the identity `deleted`. */
  remove(identity: string): Promise<void>;
  /** The alias of the current generation, `rt:<identity>:<generation>`. */
  generatedAlias(identity: string): string;
}

interface Entry {
  owner: AliasOwner;
  tail: Promise<void>;
}

/** Makes an authority that owns nothing. */
export function memoryIdentityAuthority(): MemoryIdentityAuthority {
  const entries = new Map<string, Entry>();
  const entryOf = (identity: string): Entry => {
    const entry = entries.get(identity);
    if (entry === undefined) throw new Error(`no identity ${JSON.stringify(identity)} is registered`);
    return entry;
  };
  const change = (identity: string, changes: Partial<AliasOwner>): void => {
    const entry = entryOf(identity);
    entry.owner = { ...entry.owner, ...changes };
  };
  const authority: MemoryIdentityAuthority = {
    register(identity) {
      const owner: AliasOwner = { identity, generation: 0, state: "active" };
      entries.set(identity, { owner, tail: Promise.resolve() });
    },
    async resolveAlias(alias) {
      return (entries.get(alias) ?? entries.get(identityIn(alias)))?.owner;
    },
    holdLifecycle: (identity, { signal }) => hold(entryOf(identity), signal),
    async reset(identity, during) {
      const held = await hold(entryOf(identity));
      const { generation } = entryOf(identity).owner;
      change(identity, { state: "resetting" });
      try {
        await during?.();
        change(identity, { state: "active", generation: generation + 1 });
      } finally {
        held.release();
      }
    },
    async remove(identity) {
      const held = await hold(entryOf(identity));
      change(identity, { state: "deleted" });
      held.release();
    },
    generatedAlias: (identity) => `rt:${identity}:${entryOf(identity).owner.generation}`,
  };
  return authority;
}

/** Queues for an identity's lifecycle; a waiter that gives up passes its turn on. */
async function hold(entry: Entry, signal?: AbortSignal): Promise<LifecycleHold> {
  const turn = entry.tail;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  entry.tail = turn.then(() => held);
  try {
    await (signal === undefined ? turn : untilAborted(signal, () => turn));
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}

function identityIn(alias: string): string {
  return /^rt:(.+):\d+$/su.exec(alias)?.[1] ?? "";
}
