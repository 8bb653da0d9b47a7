// Simulated workers, cuts and clock jumps: no message lost or doubled, no call twice, no turn by two workers.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "schedules",
  project: "@basis/runtime",
  test: "apps/runtime/test/simulation/simulation.test.ts",
  titled: "no message is lost",
  longRuns: 10_000,
});
