import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advance, outcomeOf, startFold, type AskedParticipant } from "../src/advance.ts";
import { broken, type Verdict } from "../src/hook-decision.ts";
import { fromCall, fromResult } from "../src/hook-request.ts";
import { sampleCall } from "../src/testing/index.ts";

interface Step {
  readonly asked: AskedParticipant;
  readonly verdict: Verdict;
}

const options = { workspace: "/w" };
const preRequest = fromCall("pre_tool_use", sampleCall(), options);
const postRequest = fromResult(sampleCall(), { output: "raw", isError: true }, options);

const reason = fc.constantFrom(undefined, "why");
const common = fc.oneof(
  fc.record({ decision: fc.constant("allow" as const) }),
  fc.record({ decision: fc.constant("deny" as const), reason }),
  fc.constant(broken("threw", "threw an error")),
);
const modify = fc.record({
  decision: fc.constant("modify" as const),
  input: fc.record({ n: fc.nat(9) }),
  reason,
});
const replace = fc.record({
  decision: fc.constant("replace" as const),
  output: fc.nat(9),
  isError: fc.constantFrom(undefined, true, false),
  reason,
});
const asked: fc.Arbitrary<AskedParticipant> = fc.record({
  who: fc.constantFrom("hook 'a'", "hook 'b'", "interceptor 'c'"),
  onFailure: fc.constantFrom("deny" as const, "allow" as const),
  shadow: fc.boolean(),
});
const steps = (change: fc.Arbitrary<Verdict>) =>
  fc.array(fc.record({ asked, verdict: fc.oneof(common, change) }), { maxLength: 8 });

const fold = (start: typeof preRequest | typeof postRequest, list: readonly Step[]) =>
  list.reduce(
    (state, { asked, verdict }) => advance(state, asked, { verdict, mode: "decide" }),
    startFold(start),
  );

const ends = ({ asked, verdict }: Step) =>
  !asked.shadow &&
  (verdict.decision === "deny" || (verdict.decision === "broken" && asked.onFailure === "deny"));

describe("advance", () => {
  it("denies exactly when somebody who counts denies, in the first one's words", () => {
    // H19, H21, H25, H26
    fc.assert(
      fc.property(steps(modify), (list) => {
        const first = list.find(ends);
        const outcome = outcomeOf(fold(preRequest, list));
        expect(outcome.decision === "deny").toBe(first !== undefined);
        if (first === undefined || outcome.decision !== "deny") return;
        const { who } = first.asked;
        const words =
          first.verdict.decision === "broken"
            ? `${who} could not answer and denies on failure: threw an error`
            : `denied by ${who}${"reason" in first.verdict && first.verdict.reason ? ": why" : ""}`;
        expect(outcome.reason).toBe(words);
      }),
    );
  });

  it("composes rewrites: the last input stands and every hand is named in order", () => {
    // H20, H22, H28
    fc.assert(
      fc.property(steps(modify), (list) => {
        fc.pre(!list.some(ends));
        const hands = list.filter(({ asked, verdict }) => !asked.shadow && verdict.decision === "modify");
        const last = hands.at(-1)?.verdict;
        const reason = hands
          .map(({ asked, verdict }) => asked.who + ("reason" in verdict && verdict.reason ? ": why" : ""))
          .join("; ");
        const expected =
          last?.decision === "modify"
            ? { decision: "modify", input: last.input, reason }
            : { decision: "allow" };
        expect(outcomeOf(fold(preRequest, list))).toEqual(expected);
      }),
    );
  });

  it("keeps the verdict of a result until somebody gives another", () => {
    // H14, H30
    fc.assert(
      fc.property(steps(replace), (list) => {
        fc.pre(!list.some(ends));
        const changes = list
          .filter(({ asked }) => !asked.shadow)
          .map(({ verdict }) => verdict)
          .filter((verdict) => verdict.decision === "replace");
        const isError = changes.findLast((change) => change.isError !== undefined)?.isError ?? true;
        const expected =
          changes.length === 0
            ? { decision: "allow" }
            : { decision: "replace", output: changes.at(-1)?.output, isError };
        expect(outcomeOf(fold(postRequest, list))).toMatchObject(expected);
      }),
    );
  });

  it("admits a recheck that allows, and nothing else", () => {
    // H92
    const judge: AskedParticipant = { who: "hook 'a'", onFailure: "allow", shadow: false };
    fc.assert(
      fc.property(fc.oneof(common, modify), (verdict) => {
        const state = advance(startFold(preRequest), judge, { verdict, mode: "recheck" });
        expect(outcomeOf(state).decision).toBe(verdict.decision === "allow" ? "allow" : "deny");
      }),
    );
  });

  it("denies an aborted turn even of a participant that fails open", () => {
    const open: AskedParticipant = { who: "hook 'a'", onFailure: "allow", shadow: false };
    const verdict = (code: "aborted" | "threw") => ({ verdict: broken(code, "x"), mode: "decide" as const });
    expect(outcomeOf(advance(startFold(preRequest), open, verdict("aborted"))).decision).toBe("deny");
    expect(outcomeOf(advance(startFold(preRequest), open, verdict("threw"))).decision).toBe("allow");
  });
});
