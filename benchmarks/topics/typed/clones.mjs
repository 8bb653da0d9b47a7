import { defineOutput, output } from "../../../packages/typed-output/dist/index.js";
import { hostOf } from "./hand-loop.mjs";
import { ABOUT, GOOD, NAME, PROMPT, SCHEMA } from "./scene.mjs";

const RUNS = 10_000;

/** Megabytes that the heap keeps of 10,000 runs, each with a fresh clone of one schema. */
export function open() {
  const run = async () => {
    const spec = defineOutput({ name: NAME, description: ABOUT, schema: structuredClone(SCHEMA) });
    await output(hostOf([GOOD]), spec, PROMPT);
  };
  return {
    async once() {
      for (let at = 0; at < 500; at += 1) await run();
      const before = heap();
      for (let at = 0; at < RUNS; at += 1) await run();
      return (heap() - before) / 1024 / 1024;
    },
  };
}

function heap() {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
