// A queue of thousands of turns in a hundred sessions of five realms: nobody starves, memory stays, the one too many is refused.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "queue-flood",
  project: "postgres",
  test: "apps/runtime/test/campaigns/queue-flood.server.test.ts",
  longRuns: 5_000,
});
