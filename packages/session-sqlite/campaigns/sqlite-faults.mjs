// A kill, a full disk and an IO error at every write and sync of twelve operations, by strace or at the driver port.
import { runCampaign } from "../../../tools/campaigns/run-campaign.mjs";

runCampaign({
  name: "sqlite-faults",
  project: "spawning",
  test: "packages/session-sqlite/test/campaigns/sqlite-faults.spawn.test.ts",
  longRuns: 100_000,
});
