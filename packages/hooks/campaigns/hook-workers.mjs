// Random schedules of a worker's questions, lines and ends, against the protocol read by an independent reader.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "hook-workers",
  project: "@basis/hooks",
  test: "test/fuzz/worker-sessions.test.ts",
  titled: "answers a question with its own answer alone",
  longRuns: 200_000,
});
