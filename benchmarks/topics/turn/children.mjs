import { callRound, openOwnHost, sceneRound } from "./own-host.mjs";
import { ANSWER } from "./scene.mjs";

const CHILDREN = 100;
/** Waves that one host keeps in memory before the next takes its place. */
const WAVES_OF_A_HOST = 20;

/**
 * A hundred parents that delegate the scene to a child each, all at once; or, as the bare loop, the same two hundred
 * turns without delegation, one after the other.
 * @param variant `{ bare: boolean }`
 */
export async function open({ bare }, { work }) {
  const rounds = bare ? sceneRound : delegatingRound;
  const host = await openOwnHost("memory", { work, rounds, limits: { maxConcurrent: CHILDREN } });
  let wanted = 0;
  const one = async (run) => {
    const text = await host.turn(run);
    if (text !== ANSWER) throw new Error(`the turn ended with ${JSON.stringify(text)}`);
  };
  const wave = async (runs) => {
    wanted += bare ? 2 * CHILDREN : CHILDREN;
    if (bare) for (const run of runs) await one(run);
    else await Promise.all(runs.map(one));
    if (host.calls() !== wanted) throw new Error(`${host.calls()} calls in place of ${wanted}`);
  };
  const prepared = async () => {
    const runs = [];
    while (runs.length < (bare ? 2 : 1) * CHILDREN) runs.push(await host.prepare());
    return runs;
  };
  await wave(await prepared());
  let waiting = [];
  let played = 0;
  return {
    async ready(count) {
      if (played > WAVES_OF_A_HOST) await host.renew();
      if (played > WAVES_OF_A_HOST) played = 0;
      waiting = [];
      for (let at = 0; at < count; at += 1) waiting.push(await prepared());
      played += count;
    },
    async run(count) {
      for (let at = 0; at < count; at += 1) await wave(waiting[at]);
    },
    close: () => host.close(),
  };
}

async function* delegatingRound(request) {
  const { agent, messages } = request;
  if (agent === "main" && messages.at(-1).role === "user")
    return yield* callRound("spawn", { input: "Find out what the server listens on." });
  yield* sceneRound(request);
}
