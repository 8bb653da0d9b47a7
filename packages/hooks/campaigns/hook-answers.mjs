// A million mutated answers and a quarter as many worker lines against an independent reader.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "hook-answers",
  project: "@basis/hooks",
  test: "test/fuzz/answers.test.ts",
  titled: "only where an independent reader",
  longRuns: 1_000_000,
});
