import { newId } from "@basis/core";
import {
  committedForkIsRecoverable,
  createForks,
  isForkError,
  type ForkPoint,
  type ForkResult,
} from "@mobkit/fork";
import { forkSession, recoverFork } from "../agent/fork-session.ts";
import { StartError } from "../config/start-error.ts";
import { findSession } from "../store/find-session.ts";
import type { HostState } from "../store/open-state.ts";
import { exitCode, UsageError, type ExitCode } from "./exit-code.ts";
import { command, type Command } from "./command.ts";
import { openHostState } from "./open-host.ts";
import { answer, paint, progress } from "./output-format.ts";

/** `basis fork`. */
export const forkCommand: Command = command({
  meta: {
    name: "basis fork",
    description: "Fork a session into a new member, or recover a fork that was not seated.",
  },
  args: {
    session: { type: "positional", required: false, description: "Id or member name" },
    at: {
      type: "string",
      valueHint: "N|MESSAGE",
      description: "A count of messages, a message's id, or 'settled'; default: the end",
    },
    as: { type: "string", valueHint: "NAME", description: "The new member's name" },
    recover: {
      type: "string",
      valueHint: "OPERATION",
      description: "Seat a committed fork by its operation id",
    },
    json: { type: "boolean", description: "The result as JSON" },
  },
  run: ({ args }) => fork(args as unknown as ForkArguments),
});

interface ForkArguments {
  readonly session?: string;
  readonly at?: string;
  readonly as?: string;
  readonly recover?: string;
  readonly json?: boolean;
}

async function fork(args: ForkArguments): Promise<ExitCode> {
  if ((args.session === undefined) === (args.recover === undefined)) {
    throw new UsageError("name a session to fork, or --recover OPERATION");
  }
  const state = await openHostState(
    { env: process.env, signal: new AbortController().signal },
    process.cwd(),
  );
  const forks = createForks({ store: state.store, provisioner: { provision: async () => ({}) } });
  try {
    const reporting = { forks, events: state.events, store: state.store };
    const result =
      args.recover === undefined
        ? await forkFrom(state, reporting, args)
        : await recoverFork(reporting, args.recover);
    show(result, args.json ?? false);
    return exitCode.ok;
  } catch (error) {
    return refuse(error, args.json ?? false);
  } finally {
    await forks.shutdown();
    await state.close();
  }
}

async function forkFrom(
  { store }: HostState,
  reporting: Parameters<typeof forkSession>[0],
  { session: name, at, as }: ForkArguments,
): Promise<ForkResult> {
  const session = await findSession(store, name!);
  const source = session.binding?.member;
  if (source === undefined)
    throw new StartError("session", [`session '${name}' has no member and cannot be forked`]);
  const role = (await store.members.get(source))?.role ?? "main";
  const identity = as ?? `${source}-${newId().slice(-6)}`;
  return forkSession(reporting, source, {
    spec: { identity, role, launchMode: "fresh" },
    options: at === undefined ? {} : { at: forkPoint(at) },
  });
}

function forkPoint(at: string): ForkPoint {
  if (at === "settled") return "settled";
  return /^\d+$/.test(at) ? Number(at) : { messageId: at };
}

function show(result: ForkResult, asJson: boolean): void {
  if (asJson) answer(JSON.stringify(result, null, 2));
  else
    answer(
      `${result.memberAlias}: ${result.messageCount} messages, session ${result.sessionId}${result.replayed ? " (was there already)" : ""}`,
    );
}

function refuse(error: unknown, asJson: boolean): ExitCode {
  if (!isForkError(error)) throw error;
  progress(`${paint.red("basis:")} ${error.message}`);
  if (committedForkIsRecoverable(error))
    progress(`recover it with: basis fork --recover ${error.details.operationId}`);
  if (asJson) answer(JSON.stringify(error.structuredData() ?? error.toJSON()));
  return error.kind === "invalid_request" ? exitCode.usage : exitCode.failed;
}
