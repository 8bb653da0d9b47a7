import { describe, expect, it } from "vitest";
import { ajvValidator } from "../../src/ajv/index.ts";
import { defineOutput, OutputError, type CompiledSchema, type SchemaValidator } from "../../src/index.ts";
import { interpretingValidator } from "../../src/interpreter/index.ts";
import { found, reportMissing, suiteGroups, suiteRemotes, type SuiteGroup } from "../support/outside-data.ts";
import { knownFailures, type Engine } from "./known-failures.ts";

type Draft = "draft-07" | "2020-12";

async function compile(
  { schema }: SuiteGroup,
  draft: Draft,
  validator: SchemaValidator,
): Promise<CompiledSchema | undefined> {
  const schemas = suiteRemotes(draft);
  try {
    return await defineOutput({
      name: "suite",
      description: "",
      schema,
      draft,
      schemas,
      validator,
    }).compile();
  } catch (error) {
    expect(error).toBeInstanceOf(OutputError);
    return undefined;
  }
}

/** A schema that does not compile agrees with nothing. */
function agrees(compiled: CompiledSchema | undefined, test: SuiteGroup["tests"][number]): boolean {
  return compiled !== undefined && (compiled.check(test.data).length === 0) === test.valid;
}

/** The names of the required tests whose verdict is not the suite's, and how many there are. */
async function play(draft: Draft, validator: SchemaValidator): Promise<{ failed: string[]; total: number }> {
  const failed: string[] = [];
  let total = 0;
  for (const group of suiteGroups(draft)) {
    const compiled = await compile(group, draft, validator);
    total += group.tests.length;
    const wrong = group.tests.filter((test) => !agrees(compiled, test));
    failed.push(...wrong.map((test) => `${group.file}: ${group.description}: ${test.description}`));
  }
  return { failed, total };
}

const engines: Readonly<Record<Engine, SchemaValidator>> = {
  ajv: ajvValidator(),
  interpreter: interpretingValidator(),
};

reportMissing();

// S1, cases 92 and 96
describe.runIf(found.suite)("the official suite through defineOutput", () => {
  it.each([
    ["ajv", "draft-07", 0.995],
    ["ajv", "2020-12", 0.96],
    ["interpreter", "draft-07", 0.995],
    ["interpreter", "2020-12", 0.995],
  ] as const)(
    "%s agrees on %s but for the failures known by name",
    async (engine, draft, least) => {
      const { failed, total } = await play(draft, engines[engine]);
      expect(failed.toSorted()).toEqual([...knownFailures[engine][draft]].toSorted());
      expect(total).toBeGreaterThan(900);
      expect(1 - failed.length / total).toBeGreaterThanOrEqual(least);
    },
    120_000,
  );
});
