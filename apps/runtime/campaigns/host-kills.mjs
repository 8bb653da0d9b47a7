// Hosts that are killed at a random moment of a run of three agents, and go on: every call once, nothing left behind.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "host-kills",
  project: "spawning",
  test: "apps/runtime/test/campaigns/host-kills.spawn.test.ts",
  longRuns: 300,
});
