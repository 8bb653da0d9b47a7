import { describe, expect, it } from "vitest";
import { firstMatch, narrowOnly, shadow, when, type ShadowReport } from "../src/compose/index.ts";
import { ChildSpec, resolveChild, ToolRoster, type ChildPolicy } from "../src/index.ts";
import { context, never, parent } from "./fixtures.ts";

const resolve = (policy: ChildPolicy, change = {}) =>
  resolveChild({ policy, context: { ...context, ...change }, parent });
const triage = ChildSpec.inherit().withRoster(ToolRoster.only(["read"]));
const secret = ChildSpec.inherit().withSystem("a secret text");

describe("firstMatch and when", () => {
  const policy = firstMatch(
    when(
      ({ prompt }) => prompt.startsWith("triage"),
      () => triage,
    ),
    when(
      ({ depth }) => depth > 0,
      () => ({ refuse: "no grandchildren" }),
    ),
  );

  it("take the first policy that has an opinion, and inherit without one", async () => {
    expect((await resolve(policy, { prompt: "triage this", depth: 1 })).preview()).toEqual({
      roster: { offered: ["read"] },
    });
    await expect(resolve(policy, { depth: 1 })).rejects.toThrow("no grandchildren");
    expect((await resolve(policy)).preview()).toBeUndefined();
  });

  it("refuse when one of them throws: a later one is not asked", async () => {
    const broken = firstMatch(
      () => {
        throw new Error("broken");
      },
      () => triage,
    );
    await expect(resolve(broken)).rejects.toThrow(expect.objectContaining({ code: "policy_failed" }));
  });
});

describe("narrowOnly", () => {
  it("keeps a roster within the parent's, and leaves every other answer alone", async () => {
    const wide = ChildSpec.inherit().withRoster(ToolRoster.only(["read", "run"]));
    expect((await resolve(narrowOnly(() => wide))).roster.offered).toEqual(["read"]);
    const hiding = ChildSpec.inherit().withRoster(ToolRoster.hide(["write"]));
    expect((await resolve(narrowOnly(() => hiding))).roster.offered).toEqual(["list", "read", "spawn"]);
    expect((await resolve(narrowOnly(() => secret))).preview()).toEqual({ system: "replaced" });
    await expect(resolve(narrowOnly(() => ({ refuse: "no" })))).rejects.toThrow("no");
  });
});

describe("shadow", () => {
  const reported = (policy: ChildPolicy, candidate: ChildPolicy): Promise<ShadowReport> =>
    new Promise((done) => {
      resolve(shadow(policy, candidate, done)).catch(() => undefined);
    });

  it("reports what the candidate would have said, without any system text", async () => {
    const report = await reported(
      () => triage,
      () => secret,
    );
    expect(report).toEqual({
      parentAgentId: "main",
      depth: 0,
      answered: { preview: { roster: { offered: ["read"] } } },
      candidate: { preview: { system: "replaced" } },
    });
  });

  it("reports refusals and failures as such", async () => {
    const failure = new Error("broken");
    const report = await reported(
      () => ({ refuse: "no" }),
      () => Promise.reject(failure),
    );
    expect(report).toMatchObject({ answered: { refuse: "no" }, candidate: { failure } });
  });

  it("lets the candidate decide nothing and delay nothing, nor the report break anything", async () => {
    const broken = (): never => {
      throw new Error("broken");
    };
    expect((await resolve(shadow(() => triage, never, broken))).roster.offered).toEqual(["read"]);
    expect((await resolve(shadow(() => triage, broken, broken))).roster.offered).toEqual(["read"]);
    await expect(resolve(shadow(broken, () => triage, broken))).rejects.toThrow(
      expect.objectContaining({ code: "policy_failed" }),
    );
  });
});
