// Random schedules of a worker's questions, lines and ends, against the protocol read by an independent reader.
import { runCampaign } from "./runner/run-campaign.mjs";

runCampaign({
  name: "hook-workers",
  test: "test/fuzz/worker-sessions.test.ts",
  titled: "answers a question with its own answer alone",
  longRuns: 200_000,
});
