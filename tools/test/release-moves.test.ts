import { describe, expect, it } from "vitest";
import { moveProblems, movesOf, settledManifest, trueDependents } from "../release/moves.mjs";

const manifests = [
  { name: "core" },
  { name: "hooks", dependencies: { core: "workspace:^" }, devDependencies: { session: "workspace:^" } },
  { name: "session", dependencies: { core: "workspace:^" } },
  { name: "fork", dependencies: { core: "workspace:^", session: "workspace:^" } },
];
const problems = (name: string, bump: string, moved: Record<string, string>): string[] =>
  moveProblems({ manifests, name, bump, moved: new Map(Object.entries(moved)) });

describe("a release", () => {
  it("moves those that ask for what left their range, and no others", () => {
    expect(trueDependents(manifests, { name: "session", bump: "minor" })).toEqual(["fork"]);
    expect(trueDependents(manifests, { name: "session", bump: "patch" })).toEqual([]);
    expect(problems("session", "minor", { session: "0.2.0", fork: "0.1.1" })).toEqual([]);
    expect(problems("core", "patch", { core: "0.1.1" })).toEqual([]);
  });

  it("is refused when a bystander moves or a dependent stays", () => {
    expect(problems("session", "minor", { session: "0.2.0", fork: "0.1.1", hooks: "0.1.1" })).toEqual([
      "hooks moves to 0.1.1 where it stays by its manifest",
    ]);
    expect(problems("session", "minor", { session: "0.2.0" })).toEqual([
      "fork stays where it moves to 0.1.1 by its manifest",
    ]);
  });

  it("is told from manifests that all start at one version", () => {
    const started = JSON.parse(settledManifest({ name: "core", version: "0.7.3" }));
    expect(movesOf([started])).toEqual(new Map());
    expect(movesOf([{ ...started, version: "0.2.0" }])).toEqual(new Map([["core", "0.2.0"]]));
  });
});
