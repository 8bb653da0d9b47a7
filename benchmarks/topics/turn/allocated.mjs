import { Session } from "node:inspector/promises";

const BATCH = 100;
const WARM_BATCHES = 30;
const BATCHES = 5;
/** Bytes between two samples of the profiler, on average. */
const SAMPLING_BYTES = 1024;

/** Bytes that a turn of a case of this topic allocates, what is collected at once included. */
export async function open({ file, variant }, { work }) {
  const { open: openCase } = await import(file);
  const subject = await openCase(variant, { work });
  const play = async () => {
    await subject.ready(BATCH);
    await subject.run(BATCH);
  };
  return {
    async once() {
      for (let batch = 0; batch < WARM_BATCHES; batch += 1) await play();
      const session = new Session();
      session.connect();
      let bytes = 0;
      for (let batch = 0; batch < BATCHES; batch += 1) bytes += await allocated(session, subject);
      session.disconnect();
      return bytes / (BATCHES * BATCH);
    },
    close: () => subject.close?.(),
  };
}

/** Preparing a turn is left out, as where time is measured. */
async function allocated(session, subject) {
  await subject.ready(BATCH);
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await subject.run(BATCH);
  const { profile } = await session.post("HeapProfiler.stopSampling");
  return sizeOf(profile.head);
}

function sizeOf({ selfSize, children }) {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize);
}
