import { afterEach, expect, test } from "vitest";
import { imageOf } from "../../src/images/image.ts";
import { forgetEndedTurnsOf } from "../../src/queue/forget-turns.ts";
import { openQueue } from "../../src/queue/open-queue.ts";
import { queueAgain, queueTurn, type QueuePlace } from "../../src/queue/queue-turn.ts";
import type { QueuedTurn } from "../../src/queue/queued-turn.ts";
import { TurnWorker } from "../../src/queue/turn-worker.ts";
import { bytesWith } from "../harness/kept-bytes.ts";
import { png } from "../harness/pictures.ts";
import { keptKind, openTestHost, type TestHost } from "../harness/test-host.ts";
import { fitOf, newTurn } from "./support/probe-worker.ts";

const show = { text: "what is this?", images: [imageOf(png(), "dot.png")] };
const { signal } = new AbortController();

let place: QueuePlace | undefined;
afterEach(async () => {
  await place?.queue.close();
  place = undefined;
});

async function openPlace(): Promise<{ readonly host: TestHost; readonly place: QueuePlace }> {
  const host = await openTestHost({ state: keptKind, agents: { main: [{ text: "a dot" }] } });
  const { state, facts: workspace } = host;
  place = { queue: await openQueue(state), state, workspace, fit: fitOf() };
  return { host, place };
}

/** Runs what waits, to the end of this turn. */
async function work({ runtime, facts: workspace }: TestHost, turn: QueuedTurn): Promise<QueuedTurn> {
  const { queue } = place!;
  const parts = { name: "worker", concurrency: 1, fit: fitOf(), leaseMs: 15_000, report: () => undefined };
  const serving = await queue.serve(new TurnWorker({ runtime, workspace, ...parts }));
  const ended = await queue.ended(turn.id, signal);
  await serving.drain(1_000);
  return ended;
}

/** Collects all that nothing refers to. */
async function collect({ state: { store } }: TestHost): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) await store.upkeep!.collect({ graceMs: 0 });
}

test("a queued turn shows its images, which are kept in the store alone, for as long as it waits", async () => {
  const { host, place } = await openPlace();
  const turn = await queueTurn(place, { prompt: show });
  const [{ digest } = { digest: "" }] = turn.images!;
  expect(turn).toMatchObject({ prompt: "what is this?", images: [{ name: "dot.png" }] });
  await collect(host);
  expect(await work(host, turn)).toMatchObject({ state: "ended" });
  expect((await host.transcript(turn.sessionId))[0]).toMatchObject({
    role: "user",
    content: [
      { type: "text", text: "what is this?" },
      { type: "file", data: `blob:${digest}` },
    ],
  });
  const [request] = host.models.requests;
  expect(Buffer.from((await request!.blobs!.get(digest))!)).toEqual(png());
  expect(await bytesWith(host, png().toString("base64").slice(0, 40))).toEqual([]);
});

test("images of a turn that is forgotten are collected", async () => {
  const { host, place } = await openPlace();
  const { id, sessionId, images } = await queueTurn(place, { prompt: show });
  const { blobs } = host.state.store;
  await place.queue.cancel(id);
  await collect(host);
  expect(await blobs.get(images![0]!.digest)).toBeDefined();
  await forgetEndedTurnsOf(host.state, sessionId);
  await collect(host);
  expect(await blobs.get(images![0]!.digest)).toBeUndefined();
});

test("an image that is gone ends the turn with that reason; queued again, it is shown", async () => {
  const { host, place } = await openPlace();
  const { id: sessionId } = await host.state.store.createSession({ member: "m", role: "main" });
  const images = [{ digest: `sha256:${"0".repeat(64)}`, name: "gone.png" }];
  const turn = await place.queue.enqueue(newTurn({ sessionId, images }));
  expect(await work(host, turn)).toMatchObject({
    state: "dead",
    reason: 'the image "gone.png" is not in the store any more: queue the turn anew',
  });
  expect(await host.transcript(sessionId)).toEqual([]);
  const { digest } = await host.state.store.blobs.put(png());
  const dead = { ...(await place.queue.get(turn.id))!, images: [{ digest, name: "there.png" }] };
  const again = await queueAgain(place, dead);
  expect(again).toMatchObject({ images: dead.images });
  expect(await work(host, again)).toMatchObject({ state: "ended" });
  expect(await host.transcript(sessionId)).toHaveLength(2);
});

test("more images than a message may have are refused before anything is queued", async () => {
  const { place } = await openPlace();
  const images = Array.from({ length: 21 }, () => show.images[0]!);
  await expect(queueTurn(place, { prompt: { ...show, images } })).rejects.toMatchObject({
    code: "too_many_images",
  });
  const digests = images.map(() => ({ digest: `sha256:${"0".repeat(64)}` }));
  await expect(place.queue.enqueue(newTurn({ images: digests }))).rejects.toThrow("more than 20 images");
  expect(await place.queue.list()).toEqual([]);
});
