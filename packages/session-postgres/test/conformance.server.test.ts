import {
  chapters,
  durabilityChapter,
  randomWalk,
  releaseChapter,
  transferChapters,
  upkeepChapters,
  upkeepWalk,
  type StoreFactory,
} from "@mobkit/session/conformance";
import { describe, expect, test } from "vitest";
import { openPostgresStore } from "../src/index.ts";
import { databaseUrl, freshSchema, runSql } from "./support/test-database.ts";

/** Stores in schemas of their own, which the kit can close, open anew and rob of a blob. */
const postgres: StoreFactory = {
  async open({ clock }) {
    const url = databaseUrl();
    const schema = freshSchema();
    let store = await openPostgresStore(url, { schema, clock });
    return {
      store,
      async reopen() {
        await store.close();
        return (store = await openPostgresStore(url, { schema, clock }));
      },
      async loseBlob(digest) {
        await runSql("DELETE FROM blob WHERE digest = $1", { schema, values: [digest] });
      },
      dispose: () => store.close(),
    };
  },
};

const all = [
  ...chapters,
  durabilityChapter,
  releaseChapter,
  ...transferChapters,
  ...upkeepChapters,
  { name: "longer walks", cases: [randomWalk(11, 100), upkeepWalk(7, 40)] },
];

// F115: the suite of the memory store, unchanged.
describe.each(all)("$name", ({ cases }) => {
  test.each(cases)("$name", ({ run }) => expect(run(postgres)).resolves.toBeUndefined());
});
