// Mutated commands that rules allow, run by sh and bash over stub programs: no other program may start.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "allowed-commands",
  project: "spawning",
  test: "packages/approval/test/commands/differential.spawn.test.ts",
  longRuns: 10_000,
});
