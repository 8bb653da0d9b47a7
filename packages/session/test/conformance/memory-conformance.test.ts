import { modelMessageShape } from "@mobkit/session";
import { chapters, releaseChapter, upkeepChapters, type StoreFactory } from "@mobkit/session/conformance";
import { describe, expect, test } from "vitest";
import { MemoryState } from "../../src/memory/memory-state.ts";
import { storeOver } from "../../src/memory/memory-store.ts";

/** Memory stores whose blobs the kit can lose. */
const memory: StoreFactory = {
  async open({ clock }) {
    const state = new MemoryState(modelMessageShape, clock);
    return { store: storeOver(state), loseBlob: async (digest) => void state.blobs.delete(digest) };
  },
};

describe.each([...chapters, releaseChapter, ...upkeepChapters])("$name", ({ cases }) => {
  test.each(cases)("$name", ({ run }) => expect(run(memory)).resolves.toBeUndefined());
});
