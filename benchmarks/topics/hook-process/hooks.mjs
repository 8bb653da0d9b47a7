import { mkdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { own } from "../../harness/places.mjs";
import { holdMegabytes } from "./ballast.mjs";
import { CALL, writeScript } from "./script.mjs";

const STALL_CALLS = 40;

/**
 * The same program as a hook of `openHooks`: own process group, deadline, capped output, checked answer.
 * `atOnce` calls make one operation; `stall` measures the longest time that the event loop stood still instead.
 */
export async function open({ megabytes, launcher = true, atOnce, inTurn = 1, stall } = {}, { work }) {
  mkdirSync(work, { recursive: true });
  holdMegabytes(megabytes);
  const { openHooks } = await own("packages/hooks/dist/node/index.js");
  const specs = [{ name: "guard", command: ["sh", writeScript(work)] }];
  const chain = await openHooks({ workspace: work, specs, discovery: false, launcher });
  const ask = async () => {
    const outcome = await chain.beforeCall(CALL);
    if (outcome.decision !== "allow") throw new Error(outcome.reason);
  };
  const inARow = async (count) => {
    for (let at = 0; at < count; at += 1) await ask();
  };
  const operation = atOnce === undefined ? () => inARow(inTurn) : () => askAtOnce(ask, atOnce);
  const close = () => chain.close();
  if (stall) return { once: () => longestStall(inARow), close };
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await operation();
    },
    close,
  };
}

function askAtOnce(ask, count) {
  return Promise.all(Array.from({ length: count }, ask));
}

/** In microseconds, after a few calls that are not counted. */
async function longestStall(inARow) {
  await inARow(5);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await inARow(STALL_CALLS);
  delay.disable();
  return delay.max / 1000;
}
