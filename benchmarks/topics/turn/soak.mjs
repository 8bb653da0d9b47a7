import { openOwnHost } from "./own-host.mjs";
import { ANSWER } from "./scene.mjs";

const TURNS = 5000;
const WARM = 500;
/** Turns of a session; then the next is begun. */
const TURNS_OF_A_SESSION = 10;

/** Bytes of heap that a turn leaves in the process, of 5,000 in 500 sessions on SQLite. */
export async function open(_variant, { work }) {
  const host = await openOwnHost("sqlite", { work });
  let sessionId;
  const turn = async (number) => {
    const run = await host.prepare(number % TURNS_OF_A_SESSION === 0 ? undefined : sessionId);
    ({ sessionId } = run);
    if ((await host.turn(run)) !== ANSWER) throw new Error("the turn ended otherwise");
  };
  return {
    async once() {
      for (let number = 0; number < WARM; number += 1) await turn(number);
      const before = heap();
      for (let number = 0; number < TURNS; number += 1) await turn(number);
      return Math.max(0, heap() - before) / TURNS;
    },
    close: () => host.close(),
  };
}

function heap() {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
