import { join } from "node:path";
import { dataDirectory } from "../../config/data-dir.ts";
import { databasePlace, type DatabasePlace } from "../../config/store-place.ts";
import { checkDatabase } from "../../doctor/check-database.ts";
import { checkEndpoints } from "../../doctor/check-endpoints.ts";
import { checkInstallation } from "../../doctor/check-installation.ts";
import { checkDataDirectory, checkNode, checkPrivateFile, checkRoom } from "../../doctor/check-machine.ts";
import { checkModels } from "../../doctor/check-models.ts";
import { checkOrphans } from "../../doctor/check-orphans.ts";
import { checkServers } from "../../doctor/check-servers.ts";
import { checkStore } from "../../doctor/check-store.ts";
import { checkWorkspace } from "../../doctor/check-workspace.ts";
import { worstOf, type Finding, type FindingLevel } from "../../doctor/finding.ts";
import { isModelKey } from "../../providers/provider-settings.ts";
import { defineCommand, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode } from "../terminal/exit-code.ts";
import { flag } from "../arguments/option.ts";
import { answer, colorsFor, columns, terminalText } from "../terminal/output-format.ts";

/** `basis doctor`. */
export const doctorCommand: Command = defineCommand({
  name: "doctor",
  about: "Look whether this machine, the store and this folder are fit for runs.",
  more: [
    "Without --online it asks nobody but the store's own database, where there is one, starts nothing and changes nothing: the store is looked at from outside, also while runs use it. Keys are named when they are set, and never shown.",
    "The exit code is 0 when there is no problem (✗); a warning (!) does not count as one. With a problem it is 1.",
  ],
  options: {
    deep: flag("read the whole store and look for damage: seconds for a large one"),
    online: flag(
      "also ask the providers that are set up whether they take the key and know the model (nothing is generated), and start the trusted MCP servers once",
    ),
    json: flag("as JSON, with the figures"),
  },
  examples: [
    ["basis doctor", "before asking why"],
    ["basis doctor --online", "whether keys, model and servers work, before the first run"],
    ["basis doctor --json --deep", "in a monitoring job"],
  ],
  async run({ options }, context) {
    const asked = { deep: options.deep ?? false, online: options.online ?? false };
    const findings = (await examine(context, asked)).map((finding) => withoutKeys(finding, context.env));
    const worst = worstOf(findings);
    if (options.json) answer(JSON.stringify({ ok: worst !== "problem", level: worst, findings }, null, 2));
    else answer(inWords(findings));
    return worst === "problem" ? exitCode.failed : exitCode.ok;
  },
});

async function examine(
  { env, directory, interrupt }: CommandContext,
  { deep, online }: { readonly deep: boolean; readonly online: boolean },
): Promise<readonly Finding[]> {
  const database = databasePlace(env);
  const place = { directory, env, signal: interrupt.signal };
  return [
    checkNode(),
    checkInstallation(),
    await checkOrphans(),
    ...(await examineState(dataDirectory(env), directory, { deep, database, signal: interrupt.signal })),
    ...checkModels(env),
    ...(await checkWorkspace(place)),
    ...(online ? [...(await checkEndpoints(place)), ...(await checkServers(place))] : []),
  ];
}

/** Where a state is kept, and how it is looked at. */
interface StatePlace {
  readonly deep: boolean;
  /** Undefined: in the data directory. */
  readonly database: DatabasePlace | undefined;
  readonly signal: AbortSignal;
}

/** What SQLite keeps beside its files; it is told only where something is wrong with it. */
const besideDatabases = ["sessions.db", "events.db"].flatMap((name) => [`${name}-wal`, `${name}-shm`]);

/** Where the directory itself is a problem, nothing in it is looked at. */
async function examineState(
  dataDir: string,
  workspace: string,
  { deep, database, signal }: StatePlace,
): Promise<readonly Finding[]> {
  const directory = checkDataDirectory(dataDir, workspace);
  if (directory.level === "problem") return [directory];
  const look = (name: string): readonly Finding[] => told(checkPrivateFile(join(dataDir, name), name));
  return [
    directory,
    ...(database === undefined ? told(checkRoom(dataDir)) : []),
    ...["events.db", "trust.json"].flatMap(look),
    ...besideDatabases.flatMap(look).filter(({ level }) => level !== "ok"),
    ...(database === undefined
      ? await checkStore(join(dataDir, "sessions.db"), { deep })
      : await checkDatabase(database, signal)),
  ];
}

function told(finding: Finding | undefined): readonly Finding[] {
  return finding === undefined ? [] : [finding];
}

/** A key that found its way into a file or an address is not shown either. */
function withoutKeys(finding: Finding, env: CommandContext["env"]): Finding {
  const keys = Object.keys(env).flatMap((name) => {
    const value = env[name] ?? "";
    return value.length >= 8 && isModelKey(name, env) ? [value] : [];
  });
  if (keys.length === 0) return finding;
  const text = keys.reduce(
    (rest, key) => rest.replaceAll(JSON.stringify(key).slice(1, -1), "***"),
    JSON.stringify(finding),
  );
  return JSON.parse(text) as Finding;
}

const signs: Readonly<Record<FindingLevel, string>> = { ok: "✓", warning: "!", problem: "✗" };

function inWords(findings: readonly Finding[]): string {
  const paint = colorsFor(process.stdout);
  const colors = { ok: paint.green, warning: paint.yellow, problem: paint.red };
  const plain = columns(findings.map(({ section, name, text }) => [section, name, terminalText(text)])).split(
    "\n",
  );
  return findings
    .flatMap(({ level, fix }, index) => [
      `${colors[level](signs[level])} ${plain[index]}`,
      ...(fix === undefined ? [] : [`    → ${fix}`]),
    ])
    .join("\n");
}
