import { appendChapter } from "./append-chapter.ts";
import { besideChapter } from "./beside-chapter.ts";
import { boundaryChapter } from "./boundary-chapter.ts";
import { branchesChapter } from "./branches-chapter.ts";
import { bundleChapter } from "./bundle-chapter.ts";
import { cancelChapter } from "./cancel-chapter.ts";
import type { ConformanceChapter } from "./case.ts";
import { collectionChapter } from "./collection-chapter.ts";
import { durabilityChapter } from "./durability-chapter.ts";
import { forkChapter } from "./fork-chapter.ts";
import { leasesChapter } from "./leases-chapter.ts";
import { randomWalk } from "./random-walk.ts";
import { rebaseChapter } from "./rebase-chapter.ts";
import { redactionChapter } from "./redaction-chapter.ts";
import { releaseChapter } from "./release-chapter.ts";
import { requestsChapter } from "./requests-chapter.ts";
import { sessionsChapter } from "./sessions-chapter.ts";
import { transferChapter } from "./transfer-chapter.ts";
import { upkeepWalk } from "./upkeep-walk.ts";
import { writesChapter } from "./writes-chapter.ts";

export type { ConformanceCase, ConformanceChapter, ConformanceSubject, StoreFactory } from "./case.ts";
export { durabilityChapter, randomWalk, releaseChapter, upkeepWalk };

/** What a store with `transfer` has to pass as well. */
export const transferChapters: readonly ConformanceChapter[] = Object.freeze([
  transferChapter,
  bundleChapter,
]);

/** Every chapter that any store has to pass. A durable one passes `durabilityChapter` as well. */
export const chapters: readonly ConformanceChapter[] = Object.freeze([
  sessionsChapter,
  appendChapter,
  writesChapter,
  leasesChapter,
  cancelChapter,
  boundaryChapter,
  branchesChapter,
  forkChapter,
  besideChapter,
  requestsChapter,
  { name: "invariants", cases: [1, 2, 3].map((seed) => randomWalk(seed)) },
]);

/** What a store with `upkeep` has to pass beside. */
export const upkeepChapters: readonly ConformanceChapter[] = Object.freeze([
  collectionChapter,
  redactionChapter,
  rebaseChapter,
  { name: "upkeep invariants", cases: [1, 2].map((seed) => upkeepWalk(seed)) },
]);
