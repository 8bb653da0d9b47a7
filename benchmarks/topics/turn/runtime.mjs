import { own } from "../../harness/places.mjs";
import { openOwnHost } from "./own-host.mjs";
import { subjectOf } from "./scene.mjs";

/** Turns that one host keeps in memory before the next takes its place: under 100 MB. */
const TURNS_OF_A_HOST = 5000;

/**
 * Our runtime: one interceptor, ajv, a call that needs approval, intent row, events.
 * @param variant `{ state: "memory" | "sqlite", traced?: boolean }` `traced`: spans are recorded and thrown away.
 */
export async function open({ state: kind, traced = false }, { work }) {
  if (traced) await registerTracer();
  const host = await openOwnHost(kind, { work });
  const { calls, turn, close } = host;
  let renewedAt = 0;
  // What is kept in memory is never let go of; on disk it does not weigh on later turns. A new host's first turns run
  // code that was made for the last one, so that it is made new after many turns only, as no host is for a few.
  const renew = async () => {
    if (kind !== "memory" || calls() - renewedAt < TURNS_OF_A_HOST) return;
    renewedAt = calls();
    await host.renew();
  };
  return subjectOf({ prepare: () => host.prepare(), turn, calls, renew, close });
}

async function registerTracer() {
  const { BasicTracerProvider, SimpleSpanProcessor } = await own(
    "apps/runtime/node_modules/@opentelemetry/sdk-trace-base/build/src/index-shim.js",
  );
  const { trace } = await own("apps/runtime/node_modules/@opentelemetry/api/dist/index.cjs");
  const nowhere = {
    export: (_spans, done) => done({ code: 0 }),
    shutdown: async () => undefined,
  };
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(nowhere)] }),
  );
}
