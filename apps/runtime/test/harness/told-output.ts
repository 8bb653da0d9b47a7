import type { OutputAttempt } from "@basis/typed-output";
import { expect } from "vitest";
import { wireAccount, wireOutput } from "../../src/rpc/wire-output.ts";
import { readRunAccount } from "../../src/runs/run-account.ts";
import type { RunFinished } from "../../src/runs/run-watch.ts";
import type { TestHost } from "./test-host.ts";

/** The log tells whoever asks from elsewhere the same of a typed run as its caller was told. */
export async function expectTold(
  { state: { events } }: TestHost,
  attempt: OutputAttempt<unknown>,
): Promise<void> {
  if (attempt.report?.transcript === undefined) return;
  const { runId, transcript } = attempt.report;
  let end: RunFinished | undefined;
  for await (const event of events.read(transcript.sessionId))
    if (event.type === "run_finished" && event.run === runId) end = event;
  const account = await readRunAccount(events.read(transcript.sessionId), end!);
  expect(wireAccount(account)).toEqual(wireOutput(attempt));
}
