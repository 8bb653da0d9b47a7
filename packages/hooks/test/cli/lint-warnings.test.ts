import { describe, expect, it } from "vitest";
import { filterWarnings, nameWarnings } from "../../src/cli/filter-warnings.ts";
import { programWarnings } from "../../src/cli/program-warnings.ts";
import { makeFixture } from "../node/workspace-fixture.ts";
import { listedHook } from "./support/listed-hook.ts";

const env = { PATH: "/usr/bin:/bin" };

async function warnings(
  files: Readonly<Record<string, [string, number?]>>,
  facts: object,
  needsTrust = true,
) {
  const fixture = await makeFixture();
  for (const [path, [text, mode]] of Object.entries(files))
    await fixture.write(`workspace/${path}`, text, mode);
  const { workspace } = fixture;
  return programWarnings(listedHook(facts).settings, { workspace, env, needsTrust }).map(
    ({ pointer, message }) => `${pointer}: ${message}`,
  );
}

describe("programWarnings", () => {
  const sh: [string, number] = ["#!/bin/sh\n", 0o700];

  it("has nothing to say about programs that start and can be pinned", async () => {
    expect(await warnings({ "guard.sh": sh }, { command: ["./guard.sh"] })).toEqual([]);
    expect(await warnings({ "guard.sh": ["", 0o600] }, { command: ["sh", "guard.sh"] })).toEqual([]);
    expect(
      await warnings({ "g.sh": sh, "lib.sh": [""] }, { command: ["./g.sh"], files: ["lib.sh"] }),
    ).toEqual([]);
    expect(await warnings({}, { command: ["true"] })).toEqual([]);
  });

  it.each([
    ["a missing script", {}, ["./guard.sh"], "/command/0: there is no file './guard.sh'"],
    ["a path through a file", { a: [""] }, ["./a/b"], "/command/0: there is no file './a/b'"],
    ["a name too long", {}, [`./${"x".repeat(300)}`], `/command/0: there is no file './${"x".repeat(300)}'`],
    ["a directory", { "guard/x": [""] }, ["./guard"], "/command/0: './guard' is not a file"],
    ["a mode", { "g.sh": ["#!/bin/sh\n", 0o600] }, ["./g.sh"], "/command/0: './g.sh' is not executable"],
    ["a missing program", {}, ["python9", "g.py"], "/command/0: there is no program 'python9' on PATH"],
    [
      "a script of an interpreter",
      {},
      ["sh", "-e", "g.sh"],
      "/command/2: there is no file 'g.sh' for 'sh' to run",
    ],
  ] as [string, Record<string, [string, number?]>, string[], string][])(
    "warns of %s",
    async (_, files, command, says) => {
      expect(await warnings(files, { command })).toEqual([says]);
    },
  );

  it.each([
    ["#!/usr/bin/env python9\n", "starts 'python9', which is not there"],
    ["#!/nowhere/sh\n", "starts '/nowhere/sh', which is not there"],
    ["#!/bin/sh\r\n", "ends with a carriage return"],
  ])("warns of a first line %j", async (text, says) => {
    const [found] = await warnings({ "g.sh": [text, 0o700] }, { command: ["./g.sh"] });
    expect(found).toContain(says);
  });

  it("warns of declared files that are missing, and of code that cannot be pinned", async () => {
    const facts = { command: ["./g.sh"], files: ["lib/a.sh"] };
    expect(await warnings({ "g.sh": sh }, facts)).toEqual([
      "/files/0: there is no file 'lib/a.sh', so that the workspace cannot be trusted",
    ]);
    const inline = { command: ["sh", "-c", "echo"] };
    expect(await warnings({}, inline)).toEqual([expect.stringContaining("it cannot be pinned")]);
    expect(await warnings({}, inline, false)).toEqual([]);
  });
});

describe("filterWarnings", () => {
  it("names a filter that matches no known tool, with the nearest name", () => {
    // H55
    const found = filterWarnings({ tools: ["rn", "mcp_*", "read"] }, ["run", "read"]);
    expect(found.map(({ pointer, message }) => [pointer, message])).toEqual([
      ["/tools/0", "'rn' matches no known tool; did you mean 'run'?"],
      ["/tools/1", "'mcp_*' matches no known tool"],
    ]);
    expect(filterWarnings({ tools: ["r*"] }, ["run"])).toEqual([]);
    expect(filterWarnings({ tools: ["rn"] }, undefined)).toEqual([]);
    expect(filterWarnings({ tools: undefined }, [])).toEqual([]);
  });

  it("says when a hook can never be asked", () => {
    expect(filterWarnings({ tools: [] }, undefined)).toMatchObject([{ pointer: "/tools" }]);
    expect(filterWarnings({ tools: ["rn"] }, ["run"])[0]?.message).toContain(
      "so that the hook is never asked",
    );
  });
});

describe("nameWarnings", () => {
  it("names the other place of a name, and a name of every object is just one", () => {
    expect(nameWarnings({ name: "a" }, new Map([["a", "x.json:3"]]))[0]?.message).toContain("x.json:3");
    expect(nameWarnings({ name: "constructor" }, new Map())).toEqual([]);
  });
});
