import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createApprovalGate,
  denyAll,
  type ApprovalRequest,
  type ApprovalRule,
  type RuleStore,
} from "@basis/approval";
import { ruleStoreCases } from "@basis/approval/conformance";
import { loadDriver } from "@mobkit/session-sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { layeredRules } from "../../src/store/layered-rules.ts";
import { memoryState, openState, type HostState } from "../../src/store/open-state.ts";

function place(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "basis-rules-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function open(directory: string): Promise<HostState> {
  const state = await openState(directory);
  onTestFinished(() => state.close());
  return state;
}

/** Writes to the file as another process would. */
async function elsewhere(directory: string, sql: string): Promise<void> {
  const file = (await loadDriver()).open(join(directory, "sessions.db"));
  file.exec(sql);
  file.close();
}

const allow: ApprovalRule = { toolName: "write", effect: "allow", scope: "global" };
const request: ApprovalRequest = {
  callKey: "k1",
  agentId: "main",
  toolName: "write",
  input: { path: "a" },
  sideEffectLevel: "local_state",
};

const kinds: readonly (readonly [string, () => Promise<RuleStore>])[] = [
  ["layers", async () => layeredRules(memoryState().ledger.rules, (await open(place())).ledger.rules)],
];

describe.each(kinds)("the rules of a state in %s", (_kind, make) => {
  test.each(ruleStoreCases)("$name", async ({ run }) => {
    await expect(run(await make())).resolves.toBeUndefined();
  });
});

describe("the rules in a store's file", () => {
  test("are those of every process that has it open, from the next question on", async () => {
    const directory = place();
    const { rules } = (await open(directory)).ledger;
    const { id } = await rules.add(allow);
    expect(await rules.find({ toolName: "write" })).toMatchObject([{ id, ...allow }]);
    await elsewhere(directory, "UPDATE runtime_rule SET revoked_at = 1");
    expect(await rules.find({ toolName: "write" })).toEqual([]);
    expect(await rules.revoke(id)).toBe(false);
    await elsewhere(directory, "UPDATE runtime_rule SET revoked_at = NULL");
    expect(await rules.find({ toolName: "write" })).toMatchObject([{ id }]);
  });

  test("outlive the process; what was remembered for a process does not reach them", async () => {
    const directory = place();
    const first = await openState(directory);
    const rules = layeredRules(memoryState().ledger.rules, first.ledger.rules);
    await rules.add({ ...allow, scope: "process" });
    const { id } = await rules.add({ ...allow, expiresAt: 4_000_000_000_000 });
    expect(await rules.list()).toHaveLength(2);
    await first.close();
    const list = await (await open(directory)).ledger.rules.list();
    expect(list).toMatchObject([{ id, expiresAt: 4_000_000_000_000 }]);
  });

  // An index is kept for a list that is the same again, and that nobody can change.
  test("are found in the same list, frozen through and through, until one comes or goes", async () => {
    const { rules: kept } = (await open(place())).ledger;
    const rules = layeredRules(memoryState().ledger.rules, kept);
    const fields = { path: "src/*" };
    const find = () => rules.find({ toolName: "write" });
    await rules.add({ ...allow, pattern: { fields } });
    for (const scope of ["process", "global"] as const) {
      const before = await find();
      expect(await find()).toBe(before);
      await rules.add({ ...allow, scope });
      const after = await find();
      expect(after).toHaveLength(before.length + 1);
      expect(await find()).toBe(after);
      const lasting = after.find(({ pattern }) => pattern !== undefined)!;
      const parts = [after, lasting, lasting.pattern, (lasting.pattern as { fields: object }).fields];
      expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true]);
    }
    const [newest] = (await find()).filter(({ scope }) => scope === "global");
    expect(await rules.revoke(newest!.id)).toBe(true);
    expect(await find()).toHaveLength(2);
  });

  const damages: readonly (readonly [string, string])[] = [
    ["a text that is no JSON", "UPDATE runtime_rule SET rule = '{'"],
    ["an effect that is none", `UPDATE runtime_rule SET rule = replace(rule, '"allow"', '"perhaps"')`],
    ["a column that says otherwise", "UPDATE runtime_rule SET effect = 'deny'"],
    ["a tool that their text does not name", "UPDATE runtime_rule SET tool = 'read'"],
    ["a text of another tool", `UPDATE runtime_rule SET rule = replace(rule, '"write"', '"read"')`],
  ];

  test("allow while they are whole", async () => {
    const { rules } = (await open(place())).ledger;
    await rules.add(allow);
    const gate = createApprovalGate({ approver: denyAll, rules });
    expect(await gate.authorize(request)).toMatchObject({ decision: "allow" });
  });

  // C50: a store that cannot answer denies, and says which row is damaged.
  test.each(damages)("deny, naming the store, once they hold %s", async (_name, sql) => {
    const directory = place();
    const writer = await openState(directory);
    const { id } = await writer.ledger.rules.add(allow);
    await writer.close();
    await elsewhere(directory, sql);
    const { rules } = (await open(directory)).ledger;
    const outcome = await createApprovalGate({ approver: denyAll, rules }).authorize(request);
    expect(outcome).toMatchObject({ decision: "deny", by: "the rule store" });
    expect((outcome as { failure: { cause: Error } }).failure.cause.message).toContain(id);
    expect(await rules.revoke(id)).toBe(true);
    expect(await createApprovalGate({ approver: denyAll, rules }).authorize(request)).toMatchObject({
      by: "approver 'deny-all'",
    });
  });
});
