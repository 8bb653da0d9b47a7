// The console beside a host that tells a hundred events a second, and many thousands in all: smooth, and in little memory.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "console-live",
  project: "spawning",
  test: "apps/runtime/test/campaigns/console-live.spawn.test.ts",
  longRuns: 50,
});
