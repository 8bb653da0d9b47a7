// Eight processes with 200 mixed operations each on one file, half of them killed once and begun anew.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "sqlite-processes",
  project: "spawning",
  test: "packages/session-sqlite/test/campaigns/sqlite-processes.spawn.test.ts",
  longRuns: 5,
});
