import { visibleText } from "@basis/approval";
import { refuseAgents } from "../../approvals/lineage.ts";
import { configDirectory, dataDirectory } from "../../config/data-dir.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { queueAgain } from "../../queue/queue-turn.ts";
import { unknownTurn } from "../../queue/queue-error.ts";
import { turnFit } from "../../queue/turn-fit.ts";
import type { TurnState, QueuedTurn } from "../../queue/queued-turn.ts";
import type { RealmCounts, TurnQueue } from "../../queue/turn-queue.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type CommandContext, type CommandGroup } from "../arguments/command.ts";
import { exitCode, type ExitCode } from "../terminal/exit-code.ts";
import { short } from "../terminal/event-line.ts";
import { openGuardedWorkspace } from "../open-guarded-workspace.ts";
import { withState } from "../open-host.ts";
import { choice, count, flag, text } from "../arguments/option.ts";
import { answer, columns, progress, warn } from "../terminal/output-format.ts";

type Work = (queue: TurnQueue, state: HostState) => Promise<ExitCode>;

function withQueue(context: CommandContext, work: Work): Promise<ExitCode> {
  return withState(context, async (state) => {
    const queue = await openQueue(state, { report: warn });
    try {
      return await work(queue, state);
    } finally {
      await queue.close();
    }
  });
}

const states = ["waiting", "running", "dead", "ended", "cancelled"] as const satisfies readonly TurnState[];
const turnWord = { name: "TURN", about: "a turn's id, as the list shows it", required: true };

const list = defineCommand({
  name: "queue list",
  about: "List the turns of the queue, and how many each realm has.",
  more: [
    "Without --state: those that wait, run or are dead. A dead turn could not be run; its reason says why.",
  ],
  options: {
    state: choice(states, "only those that are in this state"),
    realm: text("NAME", "only those of this realm"),
    limit: count(1, "most turns that are listed; default 100"),
    json: flag("as JSON"),
  },
  examples: [["basis queue list --state dead", "what could not be run, and why"]],
  run: ({ options: given }, context) =>
    withQueue(context, async (queue) => {
      const { state, realm, limit } = given;
      const wanted = state === undefined ? states.slice(0, 3) : [state];
      const filter = {
        states: wanted,
        ...(realm !== undefined && { realm }),
        ...(limit !== undefined && { limit }),
      };
      const [turns, realms] = [await queue.list(filter), await queue.counts()];
      answer(
        given.json
          ? JSON.stringify({ realms, turns: turns.map(view) }, null, 2)
          : inWords(turns, realms, wanted),
      );
      return exitCode.ok;
    }),
});

function view({ id, sessionId, realm, state, queuedAt, worker, outcome, reason, fit }: QueuedTurn) {
  const times = { queued_at: new Date(queuedAt).toISOString() };
  return { turn: id, session: sessionId, realm, state, ...times, worker, outcome, reason, needs: fit.parts };
}

function inWords(
  turns: readonly QueuedTurn[],
  realms: readonly RealmCounts[],
  wanted: readonly TurnState[],
): string {
  const rows = turns.map(({ id, sessionId, realm, state, worker, reason, prompt }) => [
    id,
    state,
    realm,
    sessionId,
    short(visibleText(reason ?? worker ?? prompt ?? "goes on"), 60),
  ]);
  const counts = realms.map(({ realm, waiting, running, dead, limit }) => [
    `realm ${realm}`,
    `${waiting} waiting`,
    `${running} running${limit === undefined ? "" : ` of ${limit}`}`,
    `${dead} dead`,
  ]);
  const parts = [rows, counts].filter((part) => part.length > 0).map((part) => columns(part));
  return parts.length === 0 ? `no turn is ${wanted.join(", ")}` : parts.join("\n");
}

const retry = defineCommand({
  name: "queue retry",
  about: "Queue a dead turn anew, under a new id and with this folder's guards, tools and release.",
  more: [
    "What was done of it is kept: it goes on from its session's last row. One that was never begun is asked anew.",
  ],
  word: turnWord,
  options: {},
  examples: [["basis queue retry 0197…", "once the reason is gone"]],
  run({ word }, context) {
    refuseAgents(context.env, "queue retry");
    return withQueue(context, async (queue, state) => {
      const dead = await deadTurn(queue, word!);
      const { env, directory, interrupt } = context;
      const place = {
        configDir: configDirectory(env),
        dataDir: dataDirectory(env),
        env,
        signal: interrupt.signal,
      };
      const trust = { trustWorkspace: false, trustUnpinned: false, ephemeral: false, allowRun: false };
      const live = await openGuardedWorkspace({ ...place, ...trust, directory });
      const { facts: workspace } = live;
      try {
        const fit = await turnFit(workspace, place);
        const again = await queueAgain({ queue, state, workspace, fit }, dead);
        progress(`queued as ${again.id} of session ${again.sessionId}`);
        return exitCode.ok;
      } finally {
        await live.close();
      }
    });
  },
});

async function deadTurn(queue: TurnQueue, id: string): Promise<QueuedTurn> {
  const turn = await queue.get(id);
  if (turn === undefined) throw unknownTurn(id);
  if (turn.state === "dead") return turn;
  throw new Error(
    `turn ${id} is ${turn.state}: only dead ones are retried; see: basis queue list --state dead`,
  );
}

const drop = defineCommand({
  name: "queue drop",
  about: "Forget a turn that is dead, has ended or was cancelled. Its session stays.",
  word: turnWord,
  options: {},
  examples: [["basis queue drop 0197…", "nobody wants it any more"]],
  run({ word }, context) {
    refuseAgents(context.env, "queue drop");
    return withQueue(context, async (queue) => {
      await queue.drop(word!);
      return exitCode.ok;
    });
  },
});

const limit = defineCommand({
  name: "queue limit",
  about: "Set how many turns of a realm run at once, over all workers.",
  word: { name: "REALM", about: "the realm's name", required: true },
  options: { turns: count(1, "most turns at once; left out, there is no limit any more") },
  examples: [["basis queue limit batch --turns 2", "the others keep their room"]],
  run({ word, options: given }, context) {
    refuseAgents(context.env, "queue limit");
    return withQueue(context, async (queue) => {
      await queue.limitRealm(word!, given.turns);
      return exitCode.ok;
    });
  },
});

/** `basis queue …`. */
export const queueCommand: CommandGroup = {
  name: "queue",
  about: "List queued turns, retry or drop dead ones, limit a realm.",
  commands: { list, retry, drop, limit },
};
