// Hosts that fork, resume and abandon on one store, interleaved at their awaits and killed there: one key, one child.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "fork-hosts",
  project: "@mobkit/fork",
  test: "test/campaigns/fork-hosts.test.ts",
  longRuns: 20_000,
});
