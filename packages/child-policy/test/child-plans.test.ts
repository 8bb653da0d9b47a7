import { expect, it } from "vitest";
import { ChildPlans, type PlannedChild } from "../src/binding/child-plans.ts";

const plans = new ChildPlans();
let asked = 0;
const resolve = async (): Promise<PlannedChild> => {
  asked += 1;
  return { agentId: `child-${asked}`, plan: {} as PlannedChild["plan"] };
};

it("keeps the plans of the last thousand delegations that have not ended, each made once", async () => {
  for (let at = 0; at < 1000; at += 1) await plans.of(`call-${at}`, resolve);
  expect((await plans.of("call-0", resolve)).agentId).toBe("child-1");
  expect(asked).toBe(1000);
  await plans.of("call-1000", resolve);
  expect((await plans.of("call-1", resolve)).agentId).toBe("child-2");
  expect((await plans.of("call-0", resolve)).agentId).toBe("child-1002");
  plans.end("call-1000");
  expect((await plans.of("call-1000", resolve)).agentId).toBe("child-1003");
});

it("makes a plan anew that could not be made", async () => {
  const failing = (): Promise<never> => Promise.reject(new Error("no policy"));
  await expect(plans.of("fails", failing)).rejects.toThrow("no policy");
  expect((await plans.of("fails", resolve)).agentId).toBe(`child-${asked}`);
});
