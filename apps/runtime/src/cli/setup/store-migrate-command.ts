import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { inspectStoreFile } from "@mobkit/session-sqlite";
import { isBelowAgent } from "../../approvals/lineage.ts";
import { openDataDirectory, type Environment } from "../../config/data-dir.ts";
import { parseDatabase, type DatabasePlace } from "../../config/store-place.ts";
import { StartError } from "../../config/start-error.ts";
import { askQueue } from "../../queue/open-queue.ts";
import { moveState, type NamedState } from "../../store/move/move-state.ts";
import { openDatabase } from "../../store/open-database.ts";
import { openState } from "../../store/open-state.ts";
import { defineCommand, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError } from "../terminal/exit-code.ts";
import { flag, text } from "../arguments/option.ts";
import { answer, progress } from "../terminal/output-format.ts";

/** `basis store migrate`. */
export const storeMigrateCommand: Command = defineCommand({
  name: "store migrate",
  about: "Move all sessions, approvals, rules and events from files to a database, or back.",
  more: [
    "A place is a data directory or postgres://…; one with a password stands in a variable and is named env:VARIABLE. The target has to be empty. Everything comes along as it is, ids, forks and deleted sessions too, but for leases. Both places are read afterwards and compared; the source stays as it was.",
    "End what uses either place first. What was interrupted goes on where it stopped when it is called again; until it is done, the target is refused to runs.",
  ],
  word: {
    name: "FROM",
    about: "the data directory, postgres:// address or env:VARIABLE to move from",
    required: true,
  },
  options: {
    to: text("PLACE", "where to: a data directory, a postgres:// address or env:VARIABLE"),
    json: flag("what was moved, as JSON on standard output"),
  },
  examples: [
    [
      "basis store migrate ~/.local/share/basis --to env:BASIS_STORE",
      "from files to the database that runs are to use",
    ],
    ["basis store migrate env:BASIS_STORE --to /srv/basis", "and back"],
  ],
  async run({ word, options }, context) {
    if (isBelowAgent(context.env))
      throw new StartError("trust", [
        "an agent's run started this command, so it moves nothing; run it yourself",
      ]);
    if (options.to === undefined) throw new UsageError(["say where to: --to PLACE"]);
    const [from, to] = [placeOf(word!, context), placeOf(options.to, context)];
    if (from.name === to.name) throw new UsageError([`${from.name} is where it is`]);
    const { signal } = context.interrupt;
    const source = await openSource(from, signal);
    try {
      await refuseQueued(source);
      const target = await openPlace(to, signal);
      try {
        const moved = await moveState(source, target, { signal, report: progress });
        if (options.json) answer(JSON.stringify({ from: from.name, to: to.name, ...moved }));
        else
          progress(
            `moved ${from.name} to ${to.name}: ${moved.sessions} sessions, ${moved.messages} messages, ${moved.events} events; compared, no difference`,
          );
        return exitCode.ok;
      } catch (error) {
        if (signal.aborted) progress("stopped; the same command goes on where this one was");
        throw error;
      } finally {
        await target.state.close();
      }
    } finally {
      await source.state.close();
    }
  },
});

/** A move takes no queue along: what waits there would never run. */
async function refuseQueued({ state, name }: NamedState): Promise<void> {
  const turns = await askQueue(state, (queue) =>
    queue.list({ states: ["waiting", "running"], limit: 1_000 }),
  );
  if (turns === undefined || turns.length === 0) return;
  throw new StartError("store", [
    `${name} has ${turns.length === 1 ? "a turn" : `${turns.length} turns`} in its queue, which stays behind`,
    "let workers end them, or take them out with: basis cancel TURN; 'basis queue list' shows them. Nothing was changed",
  ]);
}

type Place =
  | { readonly kind: "files"; readonly name: string }
  | { readonly kind: "database"; readonly name: string; readonly database: DatabasePlace };

/** @throws UsageError for an address with a password, which others would see. */
function placeOf(given: string, { env, directory }: CommandContext): Place {
  const address = given.startsWith("env:") ? fromVariable(given.slice(4), env) : given;
  if (!/^[a-z][a-z0-9+]*:\/\//i.test(address))
    return { kind: "files", name: existingPath(resolve(directory, address)) };
  if (address === given && URL.canParse(given) && new URL(given).password !== "")
    throw new UsageError([
      "an address with a password is seen by every user of this machine: put it into a variable and name it env:VARIABLE",
    ]);
  const database = parseDatabase(address, address === given ? "the address" : given.slice(4));
  return { kind: "database", name: database.name, database };
}

function fromVariable(name: string, env: Environment): string {
  const value = env[name];
  if (value === undefined || value === "") throw new UsageError([`the variable ${name} is not set`]);
  return value;
}

function existingPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** A source that is not there is no empty one. */
async function openSource(place: Place, signal: AbortSignal): Promise<NamedState> {
  if (place.kind === "files" && !existsSync(join(place.name, "sessions.db")))
    throw new StartError("store", [
      `${place.name} holds no sessions.db`,
      "name the data directory of a host",
    ]);
  return openPlace(place, signal);
}

async function openPlace(place: Place, signal: AbortSignal): Promise<NamedState> {
  const { name } = place;
  if (place.kind === "database") return { name, state: await openDatabase(place.database, { signal }) };
  const path = openDataDirectory(name);
  await refuseOpen(path);
  return { name, state: await openState(path, { signal }) };
}

/** A host that is idle holds no lease, and would go on with the files. */
async function refuseOpen(directory: string): Promise<void> {
  const { openers } = await inspectStoreFile(join(directory, "sessions.db"), { deep: false });
  const other = openers.find(
    ({ pid, isHere, isAlive }) => pid !== process.pid && (!isHere || isAlive !== false),
  );
  if (other !== undefined)
    throw new StartError("store", [
      `${directory} is open in process ${other.pid}${other.isHere ? "" : " of another machine"}`,
      "end the hosts that use it, and move again; nothing was changed",
    ]);
}
