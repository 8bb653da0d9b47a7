import { visibleText } from "@basis/approval";
import { systemClock } from "@basis/core";
import { isForkError } from "@mobkit/fork";
import { hostForks } from "../../agent/forks/host-forks.ts";
import {
  planRemoval,
  removeSession,
  type RemovalPlan,
  type RemovalPorts,
} from "../../host/session-removal.ts";
import { findSession } from "../../store/find-session.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { consentToDelete, refuseDeletionByAgents } from "./consent.ts";
import { exitCode, type ExitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { flag } from "../arguments/option.ts";
import { answer, counted, progress } from "../terminal/output-format.ts";
import { tellRefusal } from "./refusal.ts";
import { viewSession, type SessionView } from "../../store/session-view.ts";

const options = {
  "with-children": flag("also the sessions that its calls delegated to, and theirs"),
  "dry-run": flag("tell what would go and what stays; delete nothing"),
  yes: flag("do not ask"),
  json: flag("what went and what stays, as JSON on standard output"),
};

type RemoveArguments = Arguments<typeof options>;

/** `basis sessions rm`. */
export const sessionRmCommand: Command = defineCommand({
  name: "sessions rm",
  about: "Delete a session for ever: its transcript, events, approvals and rules.",
  more: [
    "Forks of it stay whole: they keep what they inherited. Sessions that its calls delegated to stay too, unless --with-children. Its name is free afterwards.",
    "Nobody can read it from that moment on. The room of its messages is given back by 'basis sessions prune', or by runs as they come by, an hour later at the earliest. A fork that was never seated is given up.",
    "A session with a turn that runs in another process is refused (5). Without a terminal, --yes is needed (2).",
  ],
  word: { name: "SESSION", about: "a session's id or its member's name", required: true },
  options,
  examples: [
    ["basis sessions rm reviewer --dry-run", "look before"],
    ["basis sessions rm main-1c2d3e4f --with-children --yes", "a session and all that it delegated"],
    ["basis sessions export reviewer --to reviewer.jsonl", "keep a copy first"],
  ],
  async run(args, context) {
    if (!args.options["dry-run"]) refuseDeletionByAgents(context.env, "sessions rm");
    return withState(context, (state) => removeNamed(state, args, context));
  },
});

async function removeNamed(
  state: HostState,
  { word, options: given }: RemoveArguments,
  context: CommandContext,
): Promise<ExitCode> {
  const { signal } = context.interrupt;
  const session = await findSession(state.store, word!);
  if (session.state === "tombstone") {
    progress(`session '${word!}' is deleted already`);
    return exitCode.ok;
  }
  const plan = await planRemoval(state.store, session, {
    withChildren: given["with-children"] ?? false,
    signal,
  });
  const view = await viewPlan(state, plan);
  if (given["dry-run"]) {
    if (given.json) answer(JSON.stringify({ dry_run: true, ...view }));
    else answer(linesOf(view, "would go").join("\n"));
    return exitCode.ok;
  }
  const consent = { command: "sessions rm", lines: linesOf(view, "goes"), agreed: given.yes ?? false };
  const declined = await consentToDelete(consent, context);
  if (declined !== undefined) return declined;
  return carryOut({ state, plan, view }, given.json ?? false, signal);
}

interface Removal {
  readonly state: HostState;
  readonly plan: RemovalPlan;
  readonly view: PlanView;
}

async function carryOut(
  { state, plan, view }: Removal,
  asJson: boolean,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { store, ledger, events } = state;
  const forks = hostForks({ store, rules: ledger.rules });
  const ports: RemovalPorts = { store, ledger, events, forks, clock: systemClock, signal, waiting: progress };
  try {
    for (const session of plan.sessions) await removeSession(ports, session);
    const { forgetOrphanTurns } = await import("../../queue/forget-turns.ts");
    await forgetOrphanTurns(
      state,
      plan.sessions.map(({ id }) => id),
    );
  } catch (error) {
    if (!isForkError(error, "fork_in_progress")) throw error;
    tellRefusal(error, { asJson, hints: ["another process seats this fork; try again when it has"] });
    return exitCode.failed;
  }
  if (asJson) answer(JSON.stringify({ dry_run: false, ...view }));
  else answer(linesOf(view, "gone").join("\n"));
  return exitCode.ok;
}

interface PlanView {
  readonly sessions: readonly SessionView[];
  readonly kept_forks: readonly SessionView[];
  readonly kept_children: readonly SessionView[];
}

async function viewPlan({ store }: HostState, plan: RemovalPlan): Promise<PlanView> {
  const views = (records: RemovalPlan["sessions"]): Promise<SessionView[]> =>
    Promise.all(records.map((record) => viewSession(store, record)));
  return {
    sessions: await views(plan.sessions),
    kept_forks: await views(plan.branches),
    kept_children: await views(plan.delegated),
  };
}

function linesOf({ sessions, kept_forks: forks, kept_children: children }: PlanView, goes: string): string[] {
  return [
    ...sessions.map((view) => `${goes}: ${inWords(view)}`),
    ...forks.map((view) => `stays: ${inWords(view)}, a fork with all that it inherited`),
    ...children.map((view) => `stays: ${inWords(view)}, which it delegated to (--with-children)`),
  ];
}

/** A session in a line. */
export function inWords({ member, session, state, messages }: SessionView): string {
  const name = member === null ? "" : `${visibleText(member)} `;
  return `${name}${session} (${counted(messages, "message")}, ${state})`;
}
