import { ChildSpec } from "@basis/child-policy";
import fc from "fast-check";
import { expect, test } from "vitest";
import { agentsInWords, namedAgent } from "../../src/agent/children/named-agents.ts";

const agent = (name: string, description?: string) => ({
  name,
  description: description === undefined ? { name } : { name, description },
  spec: ChildSpec.inherit(),
});
const [fixer, triage] = [agent("fixer"), agent("triage", "says what is wrong")];

test("a task is for the agent whose name and a colon it begins with", () => {
  expect(namedAgent("triage: it fails", [fixer, triage])).toBe(triage);
  expect(namedAgent("triage:it fails", [fixer, triage])).toBe(triage);
});

test.each([["triage it"], [" triage: it"], ["Triage: it"], ["constructor: it"], ["fix: it"], [":"]])(
  "a task like %j is for nobody",
  (task) => {
    expect(namedAgent(task, [fixer, triage])).toBeUndefined();
  },
);

test("the agents are described sorted by name, whatever their order, and not at all without any", () => {
  const text = agentsInWords([triage, fixer]);
  expect(agentsInWords([fixer, triage])).toBe(text);
  expect(text).toContain("\nfixer: no description\ntriage: says what is wrong");
  expect(agentsInWords([])).toBe("");
});

test("only the name decides, whatever the task says after it", () => {
  fc.assert(
    fc.property(fc.string(), (rest) => {
      expect(namedAgent(`fixer:${rest}`, [triage, fixer])).toBe(fixer);
    }),
  );
});
