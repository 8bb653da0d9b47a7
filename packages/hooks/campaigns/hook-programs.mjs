// Random chains of scripted programs that fail at random, against a small fold written from the contract.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "hook-programs",
  project: "@basis/hooks",
  test: "test/fuzz/chains.test.ts",
  titled: "comes to what the rules of folding say",
  longRuns: 500_000,
});
