// Machines that work under lost replies, killed processes, restarts and crashes of the server; what was acknowledged must
// stand once.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "postgres-faults",
  project: "postgres",
  test: "packages/session-postgres/test/campaign/faults.server.test.ts",
  longRuns: 200,
});
