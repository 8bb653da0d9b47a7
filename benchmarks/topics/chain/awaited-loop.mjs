import { callOf, frozenRequest, guardsOf, subjectOf } from "./guards.mjs";

/** The limit (D8): a loop by hand that parses and freezes the same input and awaits each guard. */
export function open(variant) {
  const guards = guardsOf(variant);
  const ask = async (call) => {
    const request = frozenRequest(call);
    for (const guard of guards) {
      const answer = await guard.intercept(request);
      if (answer.decision !== "allow") return answer;
    }
    return { decision: "allow" };
  };
  return subjectOf(ask, callOf(variant));
}
