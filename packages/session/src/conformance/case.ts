import type { Clock } from "@basis/core";
import { manualClock, type ManualClock } from "@basis/core/testing";
import type { ModelMessage } from "../model-message-shape.ts";
import type { SessionStore } from "../store.ts";

/** One store under test, freshly made and empty. */
export interface ConformanceSubject {
  readonly store: SessionStore<ModelMessage, never>;
  /** For durable stores: closes this store and opens what it wrote anew. */
  reopen?(): Promise<SessionStore<ModelMessage, never>>;
  /** Removes a blob's content behind the store's back, if the store allows it. */
  loseBlob?(digest: string): Promise<void>;
  /** Called after the case, whether or not it passed. */
  dispose?(): Promise<void>;
}

/** Makes stores for the kit: of the AI SDK's messages, empty, with the given clock. */
export interface StoreFactory {
  open(options: { readonly clock: Clock }): Promise<ConformanceSubject>;
}

/** One promise of the port. `run` rejects, saying what was promised, when the store doesn't keep it. */
export interface ConformanceCase {
  /** A sentence in the present tense. */
  readonly name: string;
  run(factory: StoreFactory): Promise<void>;
}

/** Cases about one thing. */
export interface ConformanceChapter {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}

/** What a case works with. */
export interface Bench extends ConformanceSubject {
  readonly clock: ManualClock;
}

/** Makes a case that gets an empty store and a clock that only it moves. */
export function onStore(name: string, check: (bench: Bench) => Promise<void>): ConformanceCase {
  return {
    name,
    async run(factory) {
      const clock = manualClock();
      const subject = await factory.open({ clock });
      try {
        await check({ ...subject, clock });
      } finally {
        await subject.dispose?.();
      }
    },
  };
}
