import { own } from "../../harness/places.mjs";
import { callOf, fieldRulesOf, matchingRulesOf, rulesOf, textOf, writeCallOf } from "./calls.mjs";

/**
 * `decideByRules` over what a store finds. `text: "new"`: every command, or path, is another one.
 * `kind: "fields"`: written files. `matching`: every rule covers the call.
 */
export async function open(variant) {
  const { decideByRules, memoryRuleStore } = await own("packages/approval/dist/index.js");
  const { openCommandRules } = await own("packages/approval/dist/commands/index.js");
  const commands = await openCommandRules({ gitMayRun: () => false });
  const byFields = variant.kind === "fields";
  const some = byFields ? fieldRulesOf : rulesOf;
  const rules = variant.matching ? matchingRulesOf({ ...variant, byWords: !byFields }) : some(variant);
  const store = memoryRuleStore({ rules });
  let number = 5;
  const decide = () => {
    if (variant.text === "new") number += 1;
    const call = byFields ? writeCallOf(number) : callOf(textOf(number));
    const found = store.find({ toolName: call.toolName, sessionId: "s" });
    return decideByRules(found, call, { nowMs: 1, commands });
  };
  if (decide()?.effect !== "allow") throw new Error("the rules do not allow the command");
  return {
    run(count) {
      for (let at = 0; at < count; at += 1) decide();
    },
  };
}
