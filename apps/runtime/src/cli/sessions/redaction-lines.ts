import type { LeftMessages, RedactionPlan } from "../../redaction/plan-redaction.ts";
import type { NotReached, SessionRedaction } from "../../redaction/redact-session.ts";
import { counted } from "../terminal/output-format.ts";

/** What a redaction is going to change, one thing a line. No line shows a text. */
export function planLines(plan: RedactionPlan, verb: "would be" | "will be"): string[] {
  const { messages, events, ledger, elsewhere, order, requestHeads, named } = plan;
  const whole = messages.filter(({ isWhole }) => isWhole);
  const partly = messages.filter(({ isWhole }) => !isWhole);
  const { approvals, denied, forgottenRules, widenedRules } = ledger;
  const lines = [
    ...(whole.length > 0 ? [`${verb} redacted as a whole: ${placesOf(plan, whole)}`] : []),
    ...(partly.length > 0 ? [`${verb} redacted where the text stands: ${placesOf(plan, partly)}`] : []),
    ...(events.changed > 0 ? [`${verb} changed in the event log: ${counted(events.changed, "event")}`] : []),
    ...(approvals > 0 ? [`${verb} redacted: ${counted(approvals, "approval")}`] : []),
    ...denied.map((id) => `${verb} denied by it: the approval ${id}`),
    ...forgottenRules.map((id) => `${verb} forgotten: the rule ${id}`),
    ...widenedRules.map((id) => `${verb} made to deny more calls of its tool: the rule ${id}`),
    ...(requestHeads.length > 0 ? [`${verb} removed: ${headsOf(requestHeads)}`] : []),
    ...besideLines(plan, verb),
  ];
  const found = lines.length === 0 ? ["nothing here holds it"] : lines;
  return [
    ...found,
    ...namedLines(named),
    ...elsewhere.map((left) => elsewhereLine(left, { named: order.session.id, canWiden: true })),
  ];
}

/** Where a text is part of what something is called. */
function namedLines({ messages, events }: RedactionPlan["named"]): readonly string[] {
  return [
    ...(messages > 0
      ? [`stays: ${counted(messages, "message")}, where it is part of a call's id or of a tool's name`]
      : []),
    ...(events > 0 ? [`stays: ${counted(events, "event")}, where it is part of a name or an id`] : []),
  ];
}

function headsOf(sessions: readonly string[]): string {
  return `the request head (system text and tools) of ${counted(sessions.length, "session")}`;
}

function placesOf({ order }: RedactionPlan, messages: RedactionPlan["messages"]): string {
  const here = messages.flatMap(({ position }) => (position === undefined ? [] : [String(position)]));
  const others = new Map<string, number>();
  for (const { session, position } of messages)
    if (position === undefined) others.set(session, (others.get(session) ?? 0) + 1);
  const elsewhere = [...others].map(([session, count]) =>
    session === order.session.id
      ? `${counted(count, "message")} that it took back`
      : `${counted(count, "message")} of session ${session}`,
  );
  const own = here.length > 0 ? [`${here.length === 1 ? "message" : "messages"} ${here.join(", ")}`] : [];
  return [...own, ...elsewhere].join("; ");
}

/** The store's own tables beside messages, in words. */
const tableNames: ReadonlyMap<string, string> = new Map([
  ["blob", "attachments or request heads"],
  ["outbox", "waiting events"],
  ["fork_op", "requests of forks"],
  ["side_value", "side state"],
  ["cancel_mark", "reasons of cancels"],
  ["member", "members' names or labels"],
  ["queue_turn", "turns of the queue"],
  ["runtime_approval", "approvals"],
  ["runtime_rule", "rules"],
  ["runtime_intent", "records of calls"],
]);

/** What the plan counts by itself, or what goes with its message. */
const toldApart: ReadonlySet<string> = new Set([
  "blob",
  "runtime_approval",
  "runtime_rule",
  "runtime_intent",
]);

const OWN_WORDS = ", as part of a name or of a word of the store's own";

const QUEUED =
  ", which wait, run or are dead: let workers end them, or 'basis cancel' or 'basis queue drop', and redact again";

function besideLines({ found }: RedactionPlan, verb: string): string[] {
  return Object.entries(found.tables)
    .filter(([table]) => !toldApart.has(table))
    .map(([table, rows]) => `${verb} looked through: ${inWords(table)} (${rows})`);
}

function inWords(table: string): string {
  return tableNames.get(table) ?? `the table ${table}`;
}

function elsewhereLine({ session, isDeleted, messages }: LeftMessages, { named, canWiden }: Advice): string {
  const what = `stays: ${counted(messages, "message")} of session ${session}`;
  const widen = canWiden ? "or --everywhere" : undefined;
  if (isDeleted) {
    const until = `${what}, which is deleted, until 'basis sessions prune' removes it`;
    return [until, widen].filter(Boolean).join("; ");
  }
  return session === named ? what : `${what}: ${["redact it too", widen].filter(Boolean).join(", ")}`;
}

/** What can still be done about messages elsewhere. */
interface Advice {
  readonly named?: string;
  /** A pattern that has done its work finds nothing in the session any more, so nothing to take out elsewhere. */
  readonly canWiden: boolean;
}

/** What was done, one thing a line. */
export function doneLines(done: SessionRedaction): string[] {
  const { messages, summaries, blobs, events, values, ledger, requestHeads } = done;
  const counts: readonly (readonly [number, string])[] = [
    [messages, "message"],
    [summaries, "summary of them"],
    [blobs, "attachment"],
    [events, "event"],
    [ledger.approvals, "approval"],
    [values, "value beside transcripts"],
  ];
  const parts = counts.flatMap(([count, noun]) => (count === 0 ? [] : [plural(count, noun)]));
  return [
    parts.length === 0 ? "nothing held it" : `redacted: ${parts.join(", ")}`,
    ...ledger.denied.map((id) => `denied: the approval ${id}`),
    ...ledger.forgottenRules.map((id) => `forgotten: the rule ${id}`),
    ...ledger.widenedRules.map(
      (id) => `denies more calls of its tool now: the rule ${id}; basis rules revoke ${id} ends that`,
    ),
    ...(requestHeads.length > 0
      ? [
          `removed: ${headsOf(requestHeads)}; take the text out of AGENTS.md, the agents' files or the tools too: the next turn reads them again`,
        ]
      : []),
  ];
}

function plural(count: number, noun: string): string {
  const [head, ...rest] = noun.split(" ");
  const word = count === 1 ? head! : head === "summary" ? "summaries" : `${head}s`;
  return [count, word, ...rest].join(" ");
}

/** What was not reached and what to do about it; empty when nothing is left. */
export function leftLines(left: NotReached, { order }: RedactionPlan): string[] {
  const { elsewhere, messages, events, requestHeads, tables, running, unpurged } = left;
  return [
    ...elsewhere.map((each) => elsewhereLine(each, { canWiden: order.loggedTexts === undefined })),
    ...namedLines({ messages, events }),
    ...(requestHeads.length > 0
      ? [
          `stays: ${headsOf(requestHeads)}, which a turn has written meanwhile: take it out of AGENTS.md, the agents' files or the tools, and run this again: ${requestHeads.join(", ")}`,
        ]
      : []),
    ...Object.entries(tables).map(
      ([table, rows]) => `stays: ${inWords(table)} (${rows})${table === "queue_turn" ? QUEUED : OWN_WORDS}`,
    ),
    ...running.map(
      (session) =>
        `a turn runs in session ${session}: its next request is without it, but what its model says now may repeat it; run this again when the turn has ended`,
    ),
    ...unpurged.map(
      (file) =>
        `${file} may still hold the replaced bytes, since a process reads it: run this again when it has ended`,
    ),
  ];
}

/** A plan as JSON. */
export function viewPlan(plan: RedactionPlan): object {
  const { messages, events, ledger, elsewhere, found } = plan;
  return {
    dry_run: true,
    messages: messages.map(({ session, id, position, isWhole }) => ({
      session,
      message: id,
      position: position ?? null,
      whole: isWhole,
    })),
    events: events.changed,
    ...viewLedger(ledger),
    request_heads: plan.requestHeads,
    tables: found.tables,
    elsewhere: viewElsewhere(elsewhere),
    stays: plan.named,
  };
}

/** What was done, as JSON. */
export function viewDone(done: SessionRedaction): object {
  const { messages, summaries, blobs, events, values, ledger, generation, notReached } = done;
  const { requestHeads, elsewhere, ...left } = notReached;
  return {
    dry_run: false,
    messages,
    summaries,
    attachments: blobs,
    events,
    values,
    ...viewLedger(ledger),
    request_heads: done.requestHeads,
    redactions: generation ?? null,
    not_reached: { elsewhere: viewElsewhere(elsewhere), request_heads: requestHeads, ...left },
  };
}

function viewLedger({ approvals, denied, forgottenRules, widenedRules }: RedactionPlan["ledger"]): object {
  return { approvals, denied, forgotten_rules: forgottenRules, widened_rules: widenedRules };
}

function viewElsewhere(elsewhere: readonly LeftMessages[]): readonly object[] {
  return elsewhere.map(({ session, isDeleted, messages }) => ({ session, deleted: isDeleted, messages }));
}
