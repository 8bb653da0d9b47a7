// Actors on one memory store, interleaved at random at their awaits and killed there: nothing acknowledged may be lost.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "session-interleavings",
  project: "@mobkit/session",
  test: "test/campaigns/session-interleavings.test.ts",
  longRuns: 50_000,
});
