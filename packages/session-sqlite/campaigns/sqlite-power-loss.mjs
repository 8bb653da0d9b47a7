// What a disk may hold after a loss of power between any two system calls of a store: no acknowledged commit may be lost.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "sqlite-power-loss",
  project: "spawning",
  test: "packages/session-sqlite/test/campaigns/sqlite-power-loss.spawn.test.ts",
  longRuns: 1000,
});
