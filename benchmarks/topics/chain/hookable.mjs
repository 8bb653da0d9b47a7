import { createHooks } from "hookable";
import { callOf, frozenRequest, guardsOf, subjectOf } from "./guards.mjs";

/** hookable with the same parse and freeze; a hook that denies sets a flag, since its hooks have no answer. */
export function open(variant) {
  const hooks = createHooks();
  for (const guard of guardsOf(variant)) {
    hooks.hook("call", (request, outcome) => {
      const answer = guard.intercept(request);
      if (typeof answer.then === "function") return answer.then((later) => note(outcome, later));
      note(outcome, answer);
    });
  }
  const ask = async (call) => {
    const outcome = { decision: "allow" };
    await hooks.callHook("call", frozenRequest(call), outcome);
    return outcome;
  };
  return subjectOf(ask, callOf(variant));
}

function note(outcome, { decision }) {
  if (decision !== "allow") outcome.decision = decision;
}
