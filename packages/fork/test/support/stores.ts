import type { Clock } from "@basis/core";
import { memoryStore, type ModelMessage, type SessionStore } from "@mobkit/session";

export type Store = SessionStore<ModelMessage, never>;

/** A store under test. */
export interface StoreKind {
  readonly name: string;
  open(options?: { readonly clock?: Clock }): Promise<Store>;
}

/** Every kind of store that the suites run on. */
export const stores: readonly StoreKind[] = [
  { name: "memory", open: async ({ clock } = {}) => memoryStore({ clock }) },
];
