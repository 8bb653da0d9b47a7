import { chain } from "./chain/topic.mjs";
import { commands } from "./commands/topic.mjs";
import { delegation } from "./delegation/topic.mjs";
import { hookProcess } from "./hook-process/topic.mjs";
import { hookWorker } from "./hook-worker/topic.mjs";
import { imports } from "./imports/topic.mjs";
import { postgres } from "./postgres/topic.mjs";
import { start } from "./start/topic.mjs";
import { store } from "./store/topic.mjs";
import { turn } from "./turn/topic.mjs";
import { typed } from "./typed/topic.mjs";
import { workers } from "./workers/topic.mjs";

/** Everything that is measured, in the order of the table. */
export const topics = [
  chain,
  store,
  postgres,
  turn,
  typed,
  imports,
  start,
  hookProcess,
  hookWorker,
  commands,
  delegation,
  workers,
];
