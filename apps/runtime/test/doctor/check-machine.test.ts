import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInstallation } from "../../src/doctor/check-installation.ts";
import { checkPrivateFile, checkRoom } from "../../src/doctor/check-machine.ts";
import { checkStore } from "../../src/doctor/check-store.ts";

let base: string;
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), "basis-doctor-"))));
afterEach(() => rmSync(base, { recursive: true }));

function file(name: string, mode: number): string {
  const path = join(base, name);
  writeFileSync(path, "");
  chmodSync(path, mode);
  return path;
}

describe("a file of the state", () => {
  it.each([
    [0o600, "ok", undefined],
    [0o644, "warning", "chmod 600"],
    [0o400, "problem", "chmod 600"],
    [0o000, "problem", "chmod 600"],
  ])("of mode %o is: %s", (mode, level, fix) => {
    const path = file("sessions.db-shm", mode);
    expect(checkPrivateFile(path, "sessions.db-shm")).toMatchObject({
      level,
      ...(fix && { fix: `${fix} ${path}` }),
    });
  });

  it("that holds the sessions is named by its mode, before anybody thinks of a backup", async () => {
    const path = file("sessions.db", 0o400);
    const found = (await checkStore(path, { deep: false })).find(({ name }) => name === "file");
    expect(found).toMatchObject({ level: "problem", fix: `chmod 600 ${path}` });
  });
});

describe("the room on the disk of the state", () => {
  it.each([
    [0, "problem", "0.0 MiB"],
    [1_000_000, "problem", "1.0 MiB"],
    [5_000_000, "warning", "4.8 MiB"],
    [90_000_000, "ok", "86 MiB"],
  ])("of %d bytes is: %s", (free, level, text) => {
    expect(checkRoom(base, free)).toMatchObject({ level, text: expect.stringContaining(text) });
  });

  it("is asked of the system, also for a directory that is not there yet", () => {
    const facts = { free_bytes: expect.any(Number) };
    expect(checkRoom(join(base, "not/yet"))).toMatchObject({ name: "room", facts });
  });
});

describe("the installation", () => {
  it("holds what the package depends on", () => {
    expect(checkInstallation()).toMatchObject({ level: "ok", facts: { missing: [] } });
  });

  it("is not whole without one of them, which is named", () => {
    expect(checkInstallation(["zod", "@basis/not-there"])).toMatchObject({
      level: "problem",
      facts: { missing: ["@basis/not-there"] },
      fix: "install @basis/runtime again",
    });
  });
});
