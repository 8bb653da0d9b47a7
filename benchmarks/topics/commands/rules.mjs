import { own } from "../../harness/places.mjs";
import { callOf, rulesOf, textOf } from "./calls.mjs";

/** `decideByRules` over what a store finds. `text: "new"`: every command is another one, so that each is parsed. */
export async function open(variant) {
  const { decideByRules, memoryRuleStore } = await own("packages/approval/dist/index.js");
  const { openCommandRules } = await own("packages/approval/dist/commands/index.js");
  const commands = await openCommandRules({ gitMayRun: () => false });
  const store = memoryRuleStore({ rules: rulesOf(variant) });
  let number = 5;
  const decide = () => {
    if (variant.text === "new") number += 1;
    const rules = store.find({ toolName: "spawn", sessionId: "s" });
    return decideByRules(rules, callOf(textOf(number)), { nowMs: 1, commands });
  };
  if (decide()?.effect !== "allow") throw new Error("the rules do not allow the command");
  return {
    run(count) {
      for (let at = 0; at < count; at += 1) decide();
    },
  };
}
