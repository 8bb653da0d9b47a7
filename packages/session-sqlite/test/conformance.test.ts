import {
  chapters,
  durabilityChapter,
  randomWalk,
  releaseChapter,
  transferChapters,
  upkeepChapters,
  type StoreFactory,
} from "@mobkit/session/conformance";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadDriver, openSqliteStore } from "../src/index.ts";
import { pack } from "../src/packed-text.ts";

/** Stores on files of their own, which the kit can close, open anew and rob of a blob. */
const sqlite: StoreFactory = {
  async open({ clock }) {
    const directory = mkdtempSync(join(tmpdir(), "session-sqlite-kit-"));
    const path = join(directory, "store.db");
    let store = await openSqliteStore(path, { clock });
    return {
      store,
      async reopen() {
        await store.close();
        return (store = await openSqliteStore(path, { clock }));
      },
      async loseBlob(digest) {
        const thief = (await loadDriver()).open(path);
        thief.prepare("DELETE FROM blob WHERE digest = ?").run(pack(digest));
        thief.close();
      },
      async dispose() {
        await store.close();
        rmSync(directory, { recursive: true });
      },
    };
  },
};

const all = [
  ...chapters,
  durabilityChapter,
  releaseChapter,
  ...transferChapters,
  ...upkeepChapters,
  { name: "longer walks", cases: [randomWalk(11, 300)] },
];

/** A walk takes some hundred syncs, and others may use the disk as well. */
const timeout = 120_000;

// F115: the suite of the memory store, unchanged.
describe.each(all)("$name", { timeout }, ({ cases }) => {
  test.each(cases)("$name", ({ run }) => expect(run(sqlite)).resolves.toBeUndefined());
});
