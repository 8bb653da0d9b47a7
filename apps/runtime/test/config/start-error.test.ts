import { describe, expect, it } from "vitest";
import { StartError, startStage, startTogether } from "../../src/config/start-error.ts";

const fail = (stage: ConstructorParameters<typeof StartError>[0], ...problems: string[]): Promise<never> =>
  Promise.reject(new StartError(stage, problems));

describe("startTogether", () => {
  it("answers all when nothing fails", async () => {
    expect(await startTogether(Promise.resolve(1), Promise.resolve("a"))).toEqual([1, "a"]);
  });

  it("throws a lone failure as it is", async () => {
    const error = new Error("alone");
    await expect(startTogether(Promise.resolve(1), Promise.reject(error))).rejects.toBe(error);
  });

  it("tells the problems of all that failed in one stage, in order", async () => {
    await expect(startTogether(fail("schema", "a", "b"), fail("script", "c"))).rejects.toMatchObject({
      code: "schema",
      details: { problems: ["a", "b", "c"] },
    });
  });

  it("tells only the earliest stage", async () => {
    await expect(startTogether(fail("trust", "later"), fail("workspace", "first"))).rejects.toMatchObject({
      code: "workspace",
      details: { problems: ["first"] },
    });
  });
});

describe("startStage", () => {
  it("makes whatever is thrown a refusal of its stage, and keeps one that is", async () => {
    const cause = new Error("why");
    const thrown = startStage("store", () => {
      throw cause;
    });
    await expect(thrown).rejects.toMatchObject({ code: "store", exitCode: 5, message: "why", cause });
    await expect(startStage("store", () => fail("trust", "x"))).rejects.toMatchObject({ code: "trust" });
  });
});
