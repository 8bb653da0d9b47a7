// Workers in networks of their own, killed, frozen, cut off and unplugged in mid-turn: nothing lost, nothing doubled.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "machines",
  project: "postgres",
  test: "apps/runtime/test/campaigns/machines.server.test.ts",
  longRuns: 200,
});
