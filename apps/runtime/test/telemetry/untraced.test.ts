import { Session } from "node:inspector/promises";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { calls, openTestHost } from "../harness/test-host.ts";
import { recordSpans } from "./recorded-spans.ts";

const scene = { main: [calls({ name: "list", input: { path: "." } }), { text: "done" }] };

/** The functions of telemetry that are called while the work runs, by file. */
async function tracingIn(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ url }) => url.includes("/src/telemetry/"))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => ranges[0]!.count > 0)
        .map(({ functionName }) => `${basename(url)} ${functionName}`),
    );
}

test("a turn without a tracer runs nothing of tracing but the look whether there is one", async () => {
  const host = await openTestHost({ agents: scene });
  await host.run("once");
  const untraced = await tracingIn(() => host.run("go"));
  expect(untraced.map((name) => name.split(" ")[0])).toEqual(["open-tracing.ts"]);
  recordSpans();
  await host.run("once");
  expect(await tracingIn(() => host.run("go"))).toEqual(
    expect.arrayContaining([expect.stringMatching(/^otel-run-trace.ts /)]),
  );
});
