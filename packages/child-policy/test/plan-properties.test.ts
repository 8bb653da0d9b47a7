import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ChildSpec,
  resolveChild,
  spawnPreview,
  ToolRoster,
  type ChildPlan,
  type ChildPolicy,
  type ParentView,
  type WidenMode,
} from "../src/index.ts";
import { context, parent } from "./fixtures.ts";

const tools = ["read", "list", "write", "run", "spawn"];
const siblings = ["other_read", "other_write"];
const own = ["delegate"];
const everything = [...tools, ...siblings, ...own];
const roster = fc
  .tuple(fc.boolean(), fc.subarray(everything))
  .map(([only, names]) => (only ? ToolRoster.only(names) : ToolRoster.hide(names)));

/** The delegating agent's view of the next level: what it has, and what belongs to others, whoever asks. */
const viewOf = (plan: ChildPlan): ParentView => ({
  tools: everything.filter((name) => plan.roster.allows(name)),
  hidden: siblings,
  alwaysHidden: own,
  registered: everything,
});

describe("down any chain of delegations", () => {
  const modes = fc.constantFrom<WidenMode>("allow", "narrow");

  // C16, C17, C18
  it("no child has a sibling workspace's tool or the host's own, whatever each level asks for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(roster, { minLength: 1, maxLength: 5 }), modes, async (asked, widen) => {
        let view: ParentView = {
          tools: everything,
          hidden: siblings,
          alwaysHidden: own,
          registered: everything,
        };
        for (const wished of asked) {
          const plan = await resolveChild({
            policy: () => ChildSpec.inherit().withRoster(wished),
            context,
            parent: view,
            widen,
          });
          for (const name of [...siblings, ...own]) expect(plan.roster.allows(name)).toBe(false);
          expect(plan.preview()).toEqual({ roster: wished.form() });
          view = viewOf(plan);
        }
      }),
    );
  });

  // C14, C20
  it("under narrow, what one level hides never comes back below it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(roster, { minLength: 2, maxLength: 5 }), async (asked) => {
        let view: ParentView = { tools, hidden: siblings, alwaysHidden: own, registered: everything };
        for (const wished of asked) {
          const plan = await resolveChild({
            policy: () => ChildSpec.inherit().withRoster(wished),
            context,
            parent: view,
            widen: "narrow",
          });
          const next = viewOf(plan);
          for (const name of next.tools) expect(view.tools).toContain(name);
          view = next;
        }
      }),
    );
  });
});

describe("the task and the system texts", () => {
  const secret = fc
    .string({ unit: fc.constantFrom("a", "Z", "0", "-", "é"), minLength: 6, maxLength: 12 })
    .map((text) => `<${text}>`);

  // C11
  it("stand in no preview, plan, copy, digest or refusal", async () => {
    await fc.assert(
      fc.asyncProperty(secret, secret, secret, roster, async (task, inherited, replaced, wished) => {
        const told = { ...context, prompt: task, parentSystem: inherited };
        const policy: ChildPolicy = () => ChildSpec.inherit().withRoster(wished).withSystem(replaced);
        const plan = await resolveChild({
          policy,
          context: told,
          parent: { ...parent, registered: everything },
        });
        const { child } = spawnPreview(
          { body: task, mode: "agent", target: "local" },
          { cwd: "/repo", plan },
        );
        const failed = await resolveChild({ policy: () => ({}) as never, context: told, parent }).catch(
          (error: unknown) => error,
        );
        const wide = await resolveChild({
          policy,
          context: told,
          parent: { ...parent, tools: [] },
          widen: "refuse",
        }).catch((error: unknown) => error);
        for (const shown of [plan, { ...plan }, plan.preview(), child, plan.digest, failed, wide]) {
          const text = `${JSON.stringify(shown)} ${inspect(shown, { depth: 5 })} ${String(shown)}`;
          for (const canary of [task, inherited, replaced]) expect(text).not.toContain(canary);
        }
        expect(plan.system).toBe(replaced);
      }),
      { numRuns: 50 },
    );
  });
});
