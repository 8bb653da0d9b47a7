// A long session that is moved from files into a database and back: a run is a thousand of its messages.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "store-moves",
  project: "postgres",
  test: "apps/runtime/test/campaigns/store-moves.server.test.ts",
  longRuns: 100,
});
