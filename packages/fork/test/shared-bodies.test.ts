import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDriver, openSqliteStore } from "@mobkit/session-sqlite";
import { expect, it } from "vitest";
import { createForks } from "../src/index.ts";
import { assistant, user } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { seed } from "./support/sessions.ts";

it("a fork shares bodies, and is refused before the commit when one of them is missing", async () => {
  // F74, F75
  const directory = mkdtempSync(join(tmpdir(), "fork-body-"));
  const store = await openSqliteStore(join(directory, "store.db"));
  await seed(store, "planner", [user("short"), user("x".repeat(40_000)), assistant("long")]);
  const provisioner = recordingProvisioner();
  const forks = createForks({ store, provisioner });
  const looker = await store.extend({ name: "looker", migrations: [] });
  const stored = (): Promise<unknown> =>
    looker.transaction(({ sql }) => ({
      ...sql.get("SELECT (SELECT count(*) FROM blob) AS blobs, (SELECT count(*) FROM message) AS messages"),
    }));
  const before = await stored();
  expect(before).toEqual({ blobs: 1, messages: 3 });
  await forks.forkMember("planner", { identity: "whole", role: "general" });
  expect(await stored()).toEqual(before);

  const thief = (await loadDriver()).open(store.path);
  thief.exec("DELETE FROM blob");
  thief.close();
  const work = forks.forkMember("planner", { identity: "holed", role: "general" });
  const error = await refusalOf("fork_unavailable", work);
  expect(error).toMatchObject({ committed: false, details: { stage: "read", code: "blob_missing" } });
  expect(await store.members.holder("holed")).toBeUndefined();
  expect(provisioner.requests).toHaveLength(1);
  const short = await forks.forkMember("planner", { identity: "before", role: "general" }, { at: 1 });
  expect(short.messageCount).toBe(1);

  await store.close();
  rmSync(directory, { recursive: true });
});
