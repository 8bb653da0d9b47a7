import type { ModelMessage } from "@mobkit/session";
import type { ConformanceSubject } from "@mobkit/session/conformance";
import type { MemoryState } from "../../src/memory/memory-state.ts";
import type { storeOver } from "../../src/memory/memory-store.ts";

/** What a wrong store reaches into. */
export type State = MemoryState<ModelMessage>;
export type Store = ReturnType<typeof storeOver<ModelMessage>>;

/** One plausible mistake of a store, and the promise that it breaks. */
export interface Mistake {
  readonly chapter: string;
  readonly mistake: string;
  readonly bites: RegExp;
  make(store: Store, state: State): Omit<ConformanceSubject, "store"> & { readonly store: Store };
}
