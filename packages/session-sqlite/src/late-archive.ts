import type { StoreArchive } from "@mobkit/session";
import type { StoreContext } from "./store-context.ts";

/** `sqliteArchive`, loaded when a store is moved, which is rare. */
export function lateArchive<M>(context: StoreContext<M>): StoreArchive<M> {
  const archive = async (): Promise<StoreArchive<M>> => (await import("./archive.ts")).sqliteArchive(context);
  return {
    read: async (...given) => (await archive()).read(...given),
    progress: async (...given) => (await archive()).progress(...given),
    stage: async (...given) => (await archive()).stage(...given),
    settle: async (...given) => (await archive()).settle(...given),
    setGeneration: async (...given) => (await archive()).setGeneration(...given),
  };
}
