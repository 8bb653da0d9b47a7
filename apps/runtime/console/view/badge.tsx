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

function verdict(tone: Verdict["tone"], icon: IconName, word: string): Verdict {
  return { tone, icon, word };
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
      return [verdict("plain", "fork", `from ${origin.source.agent ?? "another session"}${at}`)];
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
      return verdict("good", "allow", "approved");
    case "deny":
      return verdict("bad", "deny", "not approved");
    case "edited":
      return verdict("change", "change", "edited by its approver");
    case "asked":
    case "parked":
      return isOpen
        ? verdict("wait", "wait", "waits for approval")
        : verdict("plain", "allow", "was asked about");
    default:
      return verdictOfWord(permission!.state);
  }
}

/** How a judged answer went. */
export function attemptVerdict(number: number, said: string): Verdict {
  return said === "accepted"
    ? verdict("good", "allow", `answer ${number} accepted`)
    : verdict("bad", "reject", `answer ${number} rejected`);
}

/** How a run stands. */
export function runVerdicts(run: RunNode): readonly Verdict[] {
  const { status, why, session } = run;
  switch (status) {
    case "running":
      return [verdict("wait", "live", "running")];
    case "completed":
      return [];
    case "parked": {
      const isLast = [...session.runs.values()].at(-1) === run;
      return isLast
        ? [verdict("wait", "wait", "waits for approval")]
        : [verdict("plain", "wait", "waited, and went on")];
    }
    case "failed":
      return [verdict("bad", "reject", "failed")];
    case "stopped":
    case "cancelled":
      return [verdict("change", "wait", why === undefined ? status : `${status}: ${why}`.slice(0, 60))];
    default:
      return [verdictOfWord(status)];
  }
}

/** How a fork stands. */
export function forkVerdict({ state, recovered }: ForkNode): Verdict {
  switch (state) {
    case "seated":
      return recovered
        ? verdict("good", "allow", "recovered and seated")
        : verdict("good", "allow", "seated");
    case "committed":
      return verdict("wait", "wait", "committed");
    case "unseated":
      return verdict("bad", "broken", "committed, nobody seated");
    case "refused":
      return verdict("bad", "deny", "refused");
  }
}
