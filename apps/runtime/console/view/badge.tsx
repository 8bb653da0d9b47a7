import type { JSX } from "preact";
import type { CallNode, ForkNode, RunNode } from "../state/model.ts";
import type { RowNode } from "../state/row-key.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Line } from "./text.tsx";

/** How something went, in a word, a picture and a colour; none of them alone. */
export interface Verdict {
  readonly tone: "good" | "bad" | "change" | "wait" | "plain";
  readonly icon: IconName;
  readonly word: string;
}

/** A verdict as it is shown. */
export function Badge({ verdict }: { readonly verdict: Verdict }): JSX.Element {
  return (
    <span class={`badge ${verdict.tone}`}>
      <Icon name={verdict.icon} />
      <span class="word">
        <Line text={verdict.word} />
      </span>
    </span>
  );
}

/** A word that a newer host says is shown as it stands. */
export function verdictOfWord(word: string): Verdict {
  return { tone: "plain", icon: "note", word };
}

/** What is worth telling of a row beside its name. */
export function verdictsOf(node: RowNode): readonly Verdict[] {
  switch (node.kind) {
    case "call":
      return callVerdicts(node);
    case "run":
      return runVerdicts(node);
    case "fork":
      return [forkVerdict(node)];
    case "session": {
      const { origin } = node.session;
      if (origin === undefined) return [];
      const at = origin.count === undefined ? "" : ` at message ${origin.count}`;
      return [{ tone: "plain", icon: "fork", word: `from ${origin.source.agent ?? "another session"}${at}` }];
    }
    default:
      return [];
  }
}

function callVerdicts(call: CallNode): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const add = (tone: Verdict["tone"], icon: IconName, word: string): void =>
    void verdicts.push({ tone, icon, word });
  if (call.broken) add("bad", "broken", "guard failed");
  if (call.pre === "deny") add("bad", "deny", "denied");
  if (call.pre === "modify") add("change", "change", "input changed");
  if (call.permission !== undefined) verdicts.push(permissionVerdict(call));
  if (call.post === "replace") add("change", "change", "result replaced");
  if (call.post === "deny") add("bad", "deny", "result withheld");
  if (call.attempt !== undefined) verdicts.push(attemptVerdict(call.attempt.number, call.attempt.verdict));
  else if (call.isError && call.pre !== "deny" && call.permission?.state !== "deny")
    add("bad", "reject", "failed");
  return verdicts;
}

function permissionVerdict({ permission, endedAt, executedAt }: CallNode): Verdict {
  const isOpen = endedAt === undefined && executedAt === undefined;
  switch (permission!.state) {
    case "allow":
      return { tone: "good", icon: "allow", word: "approved" };
    case "deny":
      return { tone: "bad", icon: "deny", word: "not approved" };
    case "edited":
      return { tone: "change", icon: "change", word: "edited by its approver" };
    case "asked":
    case "parked":
      return isOpen
        ? { tone: "wait", icon: "wait", word: "waits for approval" }
        : { tone: "plain", icon: "allow", word: "was asked about" };
    default:
      return verdictOfWord(permission!.state);
  }
}

/** How a judged answer went. */
export function attemptVerdict(number: number, verdict: string): Verdict {
  return verdict === "accepted"
    ? { tone: "good", icon: "allow", word: `answer ${number} accepted` }
    : { tone: "bad", icon: "reject", word: `answer ${number} rejected` };
}

/** How a run stands. */
export function runVerdicts(run: RunNode): readonly Verdict[] {
  const { status, why, session } = run;
  switch (status) {
    case "running":
      return [{ tone: "wait", icon: "live", word: "running" }];
    case "completed":
      return [];
    case "parked": {
      const isLast = [...session.runs.values()].at(-1) === run;
      return isLast
        ? [{ tone: "wait", icon: "wait", word: "waits for approval" }]
        : [{ tone: "plain", icon: "wait", word: "waited, and went on" }];
    }
    case "failed":
      return [{ tone: "bad", icon: "reject", word: "failed" }];
    case "stopped":
    case "cancelled":
      return [
        { tone: "change", icon: "wait", word: why === undefined ? status : `${status}: ${why}`.slice(0, 60) },
      ];
    default:
      return [verdictOfWord(status)];
  }
}

/** How a fork stands. */
export function forkVerdict({ state, recovered }: ForkNode): Verdict {
  switch (state) {
    case "seated":
      return recovered
        ? { tone: "good", icon: "allow", word: "recovered and seated" }
        : { tone: "good", icon: "allow", word: "seated" };
    case "committed":
      return { tone: "wait", icon: "wait", word: "committed" };
    case "unseated":
      return { tone: "bad", icon: "broken", word: "committed, nobody seated" };
    case "refused":
      return { tone: "bad", icon: "deny", word: "refused" };
  }
}
