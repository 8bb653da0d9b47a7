// Workers that are killed and frozen while they run turns; every turn ends once, and no completed call runs twice.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "workers",
  project: "postgres",
  test: "apps/runtime/test/campaigns/workers.server.test.ts",
  longRuns: 200,
});
