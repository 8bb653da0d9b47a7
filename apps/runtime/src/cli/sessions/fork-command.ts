import { visibleText } from "@basis/approval";
import { newId } from "@basis/core";
import {
  committedForkIsRecoverable,
  isForkError,
  type ForkMemberOptions,
  type ForkMemberSpec,
  type ForkPoint,
  type ForkResult,
} from "@mobkit/fork";
import { forkSession, type ForkReporting } from "../../agent/forks/fork-session.ts";
import { hostForks } from "../../agent/forks/host-forks.ts";
import { StartError } from "../../config/start-error.ts";
import { findSession } from "../../store/find-session.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { cacheWire, priceOption, showForkPreview } from "./fork-preview.ts";
import { recoverNamedFork } from "./fork-recovery.ts";
import { memberName } from "../arguments/member-name.ts";
import { withState } from "../open-host.ts";
import { flag, text, type Option } from "../arguments/option.ts";
import { answer, complain, counted, progress } from "../terminal/output-format.ts";
import { AGENT_LABEL } from "../../host/run-persona.ts";
import { shellWord } from "../terminal/shell-word.ts";

const at: Option<ForkPoint> = {
  about:
    "how many messages the fork keeps, the id of the message after which it begins, or 'settled': all up to a call without a result, also while a turn runs or waits. Default: all",
  value: "N|MESSAGE",
  read(given) {
    if (given === "settled") return "settled";
    if (given === "" || given.startsWith("-"))
      throw new UsageError([`takes a number of messages, a message's id or 'settled', not '${given}'`]);
    return /^\d+$/.test(given) ? Number(given) : { messageId: given };
  },
};

const options = {
  at,
  as: memberName("the new member's name. Default: the source's with a suffix"),
  "dry-run": flag(
    "tell what it would begin with, its tokens, prompt cache and cost, or why it is refused; write nothing",
  ),
  price: priceOption,
  recover: text("ID", "seat a fork that was committed and not seated, by the id of its operation or session"),
  json: flag("the result, or the refusal, as JSON on standard output"),
};

/** `basis fork`. */
export const forkCommand: Command = defineCommand({
  name: "fork",
  about: "Fork a session into a new member, or recover a fork that was not seated.",
  more: [
    "The fork shares the source's messages up to the point and goes its own way from there; the source is not changed. A point between a call and its result is refused, and the nearest legal ones are named.",
  ],
  word: { name: "SESSION", about: "the source: a session's id or its member's name", required: false },
  options,
  examples: [
    ["basis fork main-1c2d3e4f --at 4 --as reviewer", "a branch from the first four messages"],
    ["basis fork main-1c2d3e4f --at 4 --dry-run --price 3/0.30", "look before, with what it would cost"],
    ['basis run --session reviewer "look again"', "its next turn"],
    [
      "basis fork --recover 01a2…",
      "finish a fork whose process died; basis sessions list shows it as pending",
    ],
  ],
  run: (args, context) => {
    refuseContradictions(args);
    return withState(context, (state) => fork(state, args, context));
  },
});

type ForkArguments = Arguments<typeof options>;

interface WantedFork {
  readonly source: string;
  readonly spec: ForkMemberSpec<ModelMessage>;
  readonly options: ForkMemberOptions;
}

function refuseContradictions({ word, options: given }: ForkArguments): void {
  const { recover, at: point, as, price } = given;
  const isDry = given["dry-run"] ?? false;
  const problems: string[] = [];
  if ((word === undefined) === (recover === undefined))
    problems.push("name a session to fork, or --recover ID");
  if (recover !== undefined && (point !== undefined || as !== undefined || isDry))
    problems.push("--recover seats the fork as it was committed: it takes neither --at, --as nor --dry-run");
  if (price !== undefined && !isDry) problems.push("--price goes with --dry-run");
  if (problems.length > 0) throw new UsageError([...problems, "see: basis fork --help"]);
}

async function fork(
  { store, events, ledger }: HostState,
  { word, options: given }: ForkArguments,
  { interrupt }: CommandContext,
): Promise<ExitCode> {
  const forks = hostForks({ store, rules: ledger.rules });
  const asJson = given.json ?? false;
  try {
    const reporting: ForkReporting = { forks, events, store };
    if (given.recover !== undefined) {
      show(await recoverNamedFork(reporting, given.recover, interrupt.signal), asJson);
      return exitCode.ok;
    }
    const wanted = await wantedFork(store, word!, given);
    if (given["dry-run"]) {
      const { price } = given;
      await showForkPreview({ forks, store }, { ...wanted, price, asJson, signal: interrupt.signal });
    } else show(await forkSession(reporting, wanted.source, wanted), asJson);
    return exitCode.ok;
  } catch (error) {
    return refuse(error, asJson);
  } finally {
    await forks.shutdown();
  }
}

/** The fork that the arguments ask for. @throws StartError `session` */
async function wantedFork(
  store: HostStore,
  name: string,
  { at: point, as }: ForkArguments["options"],
): Promise<WantedFork> {
  const session = await findSession(store, name);
  const source = session.binding?.member;
  if (source === undefined)
    throw new StartError("session", [
      `session '${name}' is ${session.state === "ready" ? "without a member" : session.state} and cannot be forked`,
    ]);
  const { role = "main", labels = {} } = (await store.members.get(source)) ?? {};
  const begunAs = labels[AGENT_LABEL];
  const identity = as ?? `${source}-${newId().slice(-6)}`;
  return {
    source,
    spec: {
      identity,
      role,
      launchMode: "fresh",
      ...(begunAs && { labels: { [AGENT_LABEL]: begunAs } }),
    },
    options: {
      ...(point !== undefined && { at: point }),
      ...(point === "settled" && { whileRunning: "settled" }),
    },
  };
}

function show(
  { memberAlias, messageCount, sessionId, operationId, lineage, replayed, cacheInheritance }: ForkResult,
  asJson: boolean,
): void {
  if (asJson) {
    answer(
      JSON.stringify({
        operation_id: operationId,
        member: memberAlias,
        fork_session: sessionId,
        source_session: lineage.sessionId,
        message_count: messageCount,
        replayed,
        cache_inheritance: cacheWire(cacheInheritance),
      }),
    );
    return;
  }
  answer(
    `${visibleText(memberAlias)}: ${counted(messageCount, "message")}, session ${sessionId}${replayed ? " (was seated already)" : ""}`,
  );
  progress(`its next turn: basis run --session ${shellWord(memberAlias)} "PROMPT"`);
}

function refuse(error: unknown, asJson: boolean): ExitCode {
  if (!isForkError(error)) throw error;
  complain(error.message);
  if (isForkError(error, "fork_source_unavailable") && error.details.cause === "running")
    complain("a turn runs or waits in it; fork what is settled with: --at settled");
  if (committedForkIsRecoverable(error))
    complain(`finish it with: basis fork --recover ${error.details.operationId}`);
  if (asJson) answer(JSON.stringify(error.structuredData() ?? error.toJSON()));
  return error.kind === "invalid_request" ? exitCode.usage : exitCode.failed;
}
