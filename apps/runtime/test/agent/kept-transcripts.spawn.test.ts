import { join } from "node:path";
import { tmpdir } from "node:os";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startBasis } from "../cli/support/basis-process.ts";
import { openTestHost } from "../harness/test-host.ts";

const said = (text: string) => ({ text });

test("a turn sees what another process did to its session since its last: a turn, and a redaction (S32)", async () => {
  const main = ["one", "unused", "three", "four"].map(said);
  const host = await openTestHost({ state: "sqlite", agents: { main } });
  const report = await host.run("my code is hunter2-hunter2");
  const { sessionId } = report.transcript!;
  const script = join(host.dataDir, "..", "script.json");
  const rounds = [said("unused"), said("answered elsewhere")];
  writeFileSync(script, JSON.stringify({ schema: 1, agents: { main: { rounds } } }));
  const elsewhere = (...argv: readonly string[]) =>
    startBasis(argv, {
      cwd: host.root,
      env: {
        PATH: process.env["PATH"],
        HOME: join(host.dataDir, ".."),
        TMPDIR: tmpdir(),
        BASIS_DATA_DIR: host.dataDir,
        BASIS_CONFIG_DIR: join(host.dataDir, "..", "config"),
      },
    }).ended;
  const run = ["run", "from elsewhere", "--session", sessionId, "--model", `scripted:${script}`];
  expect(await elsewhere(...run)).toMatchObject({ code: 0 });
  host.events.all.length = 0; // the other process's events have the numbers between
  expect(await host.run("and now?", { sessionId })).toMatchObject({ outcome: "completed", text: "three" });
  const sent = (): string => JSON.stringify(host.models.requests.at(-1)!.messages);
  expect(sent()).toContain("answered elsewhere");
  expect(sent()).toContain("hunter2");
  const redact = ["sessions", "redact", sessionId, "--message", "0", "--yes"];
  expect(await elsewhere(...redact)).toMatchObject({ code: 0 });
  expect(await host.run("and then?", { sessionId })).toMatchObject({ outcome: "completed", text: "four" });
  expect(sent()).not.toContain("hunter2");
  expect(sent()).toBe(JSON.stringify((await host.transcript(sessionId)).slice(0, -1)));
});
