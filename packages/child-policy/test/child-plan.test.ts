import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ChildPolicyError,
  childSystemText,
  ChildSpec,
  confirmPlan,
  planChild,
  ToolRoster,
  type ParentView,
  type PlanOptions,
} from "../src/index.ts";
import { parent } from "./fixtures.ts";

const inherit = ChildSpec.inherit();
const withOnly = (...names: string[]): ChildSpec => inherit.withRoster(ToolRoster.only(names));
const withHidden = (...names: string[]): ChildSpec => inherit.withRoster(ToolRoster.hide(names));
const allowed = (spec: ChildSpec, view: ParentView = parent, options?: PlanOptions): string[] =>
  ["read", "list", "write", "spawn", "run", "delegate", "sibling_read"].filter((name) =>
    planChild(view, spec, options).roster.allows(name),
  );

describe("a plan that inherits", () => {
  // C1, C19
  it("previews nothing and offers what the parent has", () => {
    const plan = planChild(parent, inherit);
    expect(plan.preview()).toBeUndefined();
    expect(allowed(inherit)).toEqual(["read", "list", "write", "spawn"]);
    expect([plan.model, plan.system, plan.dropped, plan.unknown]).toEqual([undefined, undefined, [], []]);
  });
});

describe("a plan's preview", () => {
  const secret = "You know the secret.";
  const spec = withOnly("write", "read").withModel({ provider: "openai", id: "small", contextWindow: 8000 });

  // C8, C9, C10
  it("names the model with its provider, the roster sorted, and that the system text is replaced", () => {
    expect(planChild(parent, spec.withSystem(secret)).preview()).toEqual({
      model: { id: "small", provider: "openai" },
      roster: { offered: ["read", "write"] },
      system: "replaced",
    });
    expect(planChild(parent, withHidden("write", "list")).preview()).toEqual({
      roster: { hidden: ["list", "write"] },
    });
    expect(JSON.stringify(planChild(parent, spec.withSystem(secret)).preview())).toBe(
      '{"model":{"id":"small","provider":"openai"},"roster":{"offered":["read","write"]},"system":"replaced"}',
    );
  });

  // C11
  it("never lets the system text travel: not in JSON, not in a copy, not in a digest", () => {
    const plan = planChild(parent, spec.withSystem(secret));
    expect(plan.system).toBe(secret);
    for (const shown of [plan, { ...plan }, spec.withSystem(secret), plan.preview(), Object.values(plan)]) {
      expect(JSON.stringify(shown)).not.toContain("secret");
    }
  });

  // C12
  it("shows one override alone", () => {
    expect(planChild(parent, inherit.withSystem("x")).preview()).toEqual({ system: "replaced" });
    const model = { provider: "openai", id: "small" };
    expect(planChild(parent, inherit.withModel(model)).preview()).toEqual({ model });
    expect(allowed(inherit.withModel(model))).toEqual(allowed(inherit));
  });

  it("shows what is set to empty, since it is set", () => {
    expect(planChild(parent, inherit.withSystem("")).preview()).toEqual({ system: "replaced" });
    expect(planChild(parent, withOnly()).preview()).toEqual({ roster: { offered: [] } });
    expect(planChild(parent, withHidden()).preview()).toEqual({ roster: { hidden: [] } });
  });

  it("keeps the last of a kind", () => {
    expect(planChild(parent, withOnly("read").withRoster(ToolRoster.only(["list"]))).preview()).toEqual({
      roster: { offered: ["list"] },
    });
  });
});

describe("a child's tools", () => {
  // C13, C15
  it("are what only names, and nothing is implied: without spawn it is a leaf", () => {
    expect(allowed(withOnly("read", "list"))).toEqual(["read", "list"]);
    expect(allowed(withOnly())).toEqual([]);
  });

  // C18
  it("never hold the host's own delegation tools, whichever constructor is used", () => {
    expect(allowed(withOnly("read", "delegate"))).toEqual(["read"]);
    expect(planChild(parent, withOnly("read", "delegate")).dropped).toEqual(["delegate"]);
    expect(allowed(withHidden("read"))).not.toContain("delegate");
    expect(allowed(inherit, { ...parent, tools: [...parent.tools, "delegate"] })).not.toContain("delegate");
  });

  // C16, C17
  it("never hold a sibling workspace's, whichever constructor is used, and the loss is stated", () => {
    const shared = { ...parent, hidden: ["sibling_read"] };
    expect(allowed(withOnly("read", "sibling_read"), shared)).toEqual(["read"]);
    expect(planChild(shared, withOnly("read", "sibling_read")).dropped).toEqual(["sibling_read"]);
    expect(allowed(withHidden("write"), shared)).not.toContain("sibling_read");
    expect(allowed(withHidden("write"))).toContain("sibling_read");
  });

  it("and their preview are not moved by a workspace opened elsewhere", () => {
    const shared = { ...parent, hidden: ["sibling_read"] };
    for (const spec of [inherit, withOnly("read"), withHidden("write")]) {
      expect(planChild(shared, spec).preview()).toEqual(planChild(parent, spec).preview());
      expect(planChild(shared, spec).digest).toBe(planChild(parent, spec).digest);
    }
  });

  // C20
  it("may be wider, narrowed or refused beside the parent's, as the host chooses", () => {
    const wider = withOnly("read", "run");
    expect(allowed(wider)).toEqual(["read", "run"]);
    expect(allowed(wider, parent, { widen: "narrow" })).toEqual(["read"]);
    expect(planChild(parent, wider, { widen: "narrow" }).dropped).toEqual(["run"]);
    expect(() => planChild(parent, wider, { widen: "refuse" })).toThrow(
      expect.objectContaining({ code: "roster_wider", details: { extra: ["run"] } }),
    );
    expect(allowed(withOnly("read"), parent, { widen: "refuse" })).toEqual(["read"]);
  });

  it("of a deny-list are measured against the registered ones", () => {
    const view = { ...parent, registered: ["read", "list", "write", "spawn", "run"] };
    expect(allowed(withHidden("write"), view)).toContain("run");
    expect(planChild(view, withHidden("write"), { widen: "narrow" }).dropped).toEqual(["run"]);
    expect(() => planChild(view, withHidden("write"), { widen: "refuse" })).toThrow(ChildPolicyError);
    expect(allowed(withHidden("write", "run"), view, { widen: "refuse" })).toEqual(["read", "list", "spawn"]);
  });

  it("that exist nowhere are reported", () => {
    const view = { ...parent, registered: parent.tools };
    const plan = planChild(view, withOnly("read", "raed"), { widen: "refuse" });
    expect(plan.unknown).toEqual(["raed"]);
    expect(plan.roster.allows("raed")).toBe(false);
    expect(planChild(view, withHidden("wirte")).unknown).toEqual(["wirte"]);
    const barred = { ...view, hidden: ["theirs"], alwaysHidden: ["delegate"] };
    const lost = planChild(barred, withOnly("delegate", "raed", "theirs"));
    expect([lost.unknown, lost.dropped]).toEqual([["raed"], ["delegate", "theirs"]]);
  });

  it("under narrow and refuse are always within the parent's", () => {
    const tools = ["a", "b", "c", "d", "e"];
    const subset = fc.subarray(tools);
    fc.assert(
      fc.property(subset, subset, subset, fc.boolean(), (mine, hidden, wanted, only) => {
        const view: ParentView = { tools: mine, hidden, alwaysHidden: ["e"], registered: tools };
        const spec = only ? withOnly(...wanted) : withHidden(...wanted);
        const { roster, dropped } = planChild(view, spec, { widen: "narrow" });
        const asks = (name: string): boolean => only === wanted.includes(name);
        for (const name of tools) {
          const barred = hidden.includes(name) || name === "e";
          expect(roster.allows(name)).toBe(asks(name) && mine.includes(name) && !barred);
          expect(planChild(view, spec).roster.allows(name)).toBe(asks(name) && !barred);
        }
        const lost = only
          ? wanted
          : tools.filter((name) => asks(name) && !hidden.includes(name) && name !== "e");
        expect(dropped).toEqual(lost.filter((name) => !roster.allows(name)).toSorted());
      }),
    );
  });
});

describe("a plan's digest", () => {
  it("covers roster, model and system text, inherited or not", () => {
    const digests = [
      planChild(parent, inherit),
      planChild({ ...parent, tools: ["read"] }, inherit),
      planChild({ ...parent, model: { provider: "openai", id: "big" } }, inherit),
      planChild(parent, withOnly("read")),
      planChild(parent, withHidden("read")),
      planChild(parent, inherit.withModel({ provider: "openai", id: "small" })),
      planChild(parent, inherit.withSystem("")),
      planChild(parent, inherit.withSystem("x")),
    ].map((plan) => plan.digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(planChild(parent, inherit.withSystem("x")).digest).toBe(digests.at(-1));
  });

  it("does not move with a context window that became known", () => {
    const model = { provider: "openai", id: "small" };
    expect(planChild(parent, inherit.withModel({ ...model, contextWindow: 8000 })).digest).toBe(
      planChild(parent, inherit.withModel(model)).digest,
    );
  });

  // C4
  it("has to be the approved one", () => {
    const approved = planChild(parent, withOnly("read"));
    expect(confirmPlan(approved, approved.digest)).toBe(approved);
    expect(() => confirmPlan(planChild(parent, withOnly("write")), approved.digest)).toThrow(
      expect.objectContaining({ code: "plan_changed" }),
    );
  });

  it("belongs to a plan that cannot be changed", () => {
    const plan = planChild(parent, withOnly("read").withSystem("x"));
    expect(() => Object.assign(plan, { digest: "other" })).toThrow(TypeError);
    expect(() => Object.assign(plan, { system: "other" })).toThrow(TypeError);
    expect(() => Object.assign(plan.preview()!, { system: "other" })).toThrow(TypeError);
  });
});

describe("a spec", () => {
  it.each([
    ["roster", () => inherit.withRoster({} as never)],
    ["model.id", () => inherit.withModel({ provider: "p", id: " " })],
    ["model.provider", () => inherit.withModel({ id: "m" } as never)],
    ["model.contextWindow", () => inherit.withModel({ provider: "p", id: "m", contextWindow: 0 })],
    ["system", () => inherit.withSystem(undefined as never)],
    ["spec", () => planChild(parent, {} as never)],
  ])("with a meaningless %s is refused", (field, make) => {
    expect(make).toThrow(
      expect.objectContaining({ code: "invalid_spec", details: expect.objectContaining({ field }) }),
    );
  });

  it("is immutable: each override makes another one", () => {
    const model = inherit.withModel({ provider: "p", id: "m" });
    expect(inherit.model).toBeUndefined();
    expect(() => Object.assign(model, { model: undefined })).toThrow(TypeError);
  });
});

// C23
describe("childSystemText", () => {
  it("is the text alone, with the same instructions after it", () => {
    const suffix = childSystemText("");
    expect(suffix).not.toBe("");
    expect(childSystemText("You triage.")).toBe(`You triage.\n\n${suffix}`);
  });
});
