import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PostgresServer } from "../../../packages/session-postgres/test/server/postgres-server.mjs";
import { own } from "../../harness/places.mjs";
import { fit } from "./fit.mjs";

const program = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** Runs the cases of the topic one after the other, each on its own schema of one server, with workers that are processes. */
export async function measureWorkers(topic, { quick, repeats, work, onProgress }) {
  const server = await PostgresServer.start();
  const results = new Map();
  try {
    const cases = topic.cells.flatMap(({ name, cases }) =>
      cases.map((one) => ({ ...one, key: `${name}/${one.id}` })),
    );
    for (let repeat = 0; repeat < (quick ? 1 : repeats); repeat += 1) {
      for (const { key, variant } of cases) {
        onProgress(`${topic.name} ${repeat + 1} · ${key}`);
        const result = results.get(key) ?? { repeats: [] };
        results.set(key, result);
        result.repeats.push(await measureCase(variant, { url: server.url, work, quick }));
      }
    }
  } finally {
    await server.dispose();
  }
  return results;
}

async function measureCase({ workers, waitMs, turns, oneByOne }, { url, work, quick }) {
  const schema = `bench_${randomUUID().slice(0, 8)}`;
  const place = await openPlace(url, schema);
  const begun = new Map();
  const running = [];
  try {
    for (let at = 0; at < workers; at += 1)
      running.push(await startWorker({ url, schema, work, waitMs }, (turn, time) => begun.set(turn, time)));
    const count = quick ? Math.ceil(turns / 3) : turns;
    await place.run(await place.turn());
    return await (oneByOne ? dispatches(place, { begun, count }) : throughput(place, { workers, count }));
  } finally {
    await Promise.all(running.map(endWorker));
    await place.close();
  }
}

/** Milliseconds from the moment at which a turn is queued until a worker begins it. */
async function dispatches({ turn, enqueue, ended }, { begun, count }) {
  const samples = [];
  for (let at = 0; at < count; at += 1) {
    const next = await turn();
    await enqueue(next);
    const queuedAt = performance.timeOrigin + performance.now();
    await ended(next);
    samples.push(Math.max(0.01, begun.get(next.id) - queuedAt));
  }
  return samples;
}

/** Milliseconds a turn, of as many as keep all workers busy for a while. */
async function throughput({ turn, run }, { workers, count }) {
  const turns = [];
  for (let at = 0; at < count * workers; at += 1) turns.push(await turn());
  const started = performance.now();
  await Promise.all(turns.map(run));
  return [(performance.now() - started) / turns.length];
}

async function openPlace(url, schema) {
  const { openDatabaseState } = await own("apps/runtime/dist/index.js");
  const { openQueue } = await own("apps/runtime/dist/queue/open-queue.js");
  const address = new URL(url);
  address.searchParams.set("schema", schema);
  const state = await openDatabaseState(address.href);
  const queue = await openQueue(state, { report: () => undefined });
  const enqueue = (turn) => queue.enqueue(turn);
  const ended = async ({ id }) => {
    const { state: how, reason } = await queue.ended(id, new AbortController().signal);
    if (how !== "ended") throw new Error(`a turn is ${how}: ${reason}`);
  };
  return {
    enqueue,
    ended,
    run: async (turn) => (await enqueue(turn), ended(turn)),
    turn: async () => {
      const member = `m-${randomUUID()}`;
      const { id: sessionId, len: from } = await state.store.createSession({ member, role: "main" });
      return { id: randomUUID(), sessionId, realm: "default", fit, prompt: "go", bounds: {}, from };
    },
    close: async () => {
      await queue.close();
      await state.close();
    },
  };
}

async function startWorker(setting, onBegun) {
  const worker = fork(program, [JSON.stringify(setting)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  worker.on("message", ({ turn, at }) => turn !== undefined && onBegun(turn, at));
  const gone = once(worker, "exit").then(() =>
    Promise.reject(new Error("a worker ended before it was ready")),
  );
  gone.catch(() => undefined);
  await Promise.race([once(worker, "message"), gone]);
  return worker;
}

async function endWorker(worker) {
  const ended = once(worker, "exit");
  worker.send("end");
  await ended;
}
