// Random changes, answers and replays between approvals and their executions; what ran must be what was approved.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "approved-is-executed",
  project: "@basis/approval",
  test: "packages/approval/test/campaign/approved-is-executed.test.ts",
  longRuns: 50_000,
});
