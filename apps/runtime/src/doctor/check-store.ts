import { inspectStoreFile, loadDriver, type StoreFileReport, type StoreOpener } from "@mobkit/session-sqlite";
import type { Finding } from "./finding.ts";

/** From here on the log is worth a word: an eighth of the size at which writes are refused. */
const LONG_LOG_BYTES = 134_217_728;

/** Events that wait although they should be gone by the next run. */
const MANY_EVENTS = 10_000;

/** File systems that a restart or a rebuilt container empties. */
const fleeting: ReadonlySet<string> = new Set(["tmpfs", "overlay"]);

/** The store's file, looked at from outside: it is neither opened as a store nor changed. */
export async function checkStore(
  path: string,
  { deep }: { readonly deep: boolean },
): Promise<readonly Finding[]> {
  let report: StoreFileReport;
  try {
    // Also where there is no file yet: the first run makes it.
    const driver = await loadDriver();
    report = await inspectStoreFile(path, { driver, deep });
  } catch (error) {
    const text = (error as Error).message;
    return [
      {
        section: "store",
        name: "driver",
        level: "problem",
        text,
        fix: "see that it loads, or use Node 24",
      },
    ];
  }
  const place = checkFileSystem(report);
  if (!report.exists)
    return [{ ...ok("file", `${path} does not exist yet; the first run makes it`) }, ...place];
  return [
    checkMode(report) ?? checkFile(report),
    ...place,
    ...checkSchema(report),
    ...checkOpeners(report),
    ...checkContents(report),
  ];
}

function ok(name: string, text: string, facts?: object): Finding {
  return { section: "store", name, level: "ok", text, ...(facts && { facts }) };
}

function checkMode({ path, bytes, mode = "" }: StoreFileReport): Finding | undefined {
  if (/^0[67]/.test(mode) || process.platform === "win32") return undefined;
  return {
    section: "store",
    name: "file",
    level: "problem",
    text: `${path} has mode ${mode}: you may not read and write it`,
    fix: `chmod 600 ${path}`,
    facts: { path, bytes, mode },
  };
}

function checkFile({ path, bytes, logBytes, mode = "", problem, damage }: StoreFileReport): Finding {
  const facts = { path, bytes, log_bytes: logBytes, mode, damage: damage ?? null };
  const found = { section: "store", name: "file", facts } as const;
  const sound = damage === undefined || damage === "ok";
  if (problem !== undefined || !sound)
    return {
      ...found,
      level: "problem",
      text: `${path}: ${problem ?? damage!}`,
      fix: "restore a backup of it, or move it away together with its -wal and -shm; a newer one needs the later release",
    };
  if (!mode.endsWith("00") && process.platform !== "win32")
    return {
      ...found,
      level: "warning",
      text: `${path} has mode ${mode}: others may read it`,
      fix: `chmod 600 ${path}`,
    };
  const text = `${path}, ${bytes} bytes, log ${logBytes} bytes, mode ${mode}${damage === "ok" ? ", read whole: no damage" : ""}`;
  if (logBytes < LONG_LOG_BYTES) return { ...found, level: "ok", text };
  return { ...found, level: "warning", text, fix: "end the process that keeps a read of the store open" };
}

function checkFileSystem({ fileSystem }: StoreFileReport): readonly Finding[] {
  if (fileSystem === undefined) return [];
  const { name, isNetwork } = fileSystem;
  const found = { section: "store", name: "file system", facts: { name, network: isNetwork } } as const;
  if (isNetwork)
    return [
      {
        ...found,
        level: "problem",
        text: `${name} is a network file system, on which its log is not safe`,
        fix: "set BASIS_DATA_DIR to a local disk",
      },
    ];
  if (fleeting.has(name))
    return [
      {
        ...found,
        level: "warning",
        text: `${name}: what is kept there may go with a restart or the container`,
        fix: "set BASIS_DATA_DIR to a disk that stays, if sessions are to",
      },
    ];
  return [{ ...found, level: "ok", text: name }];
}

function checkSchema({
  schemaVersion,
  supportedVersion,
  shape,
  problem,
  openers,
}: StoreFileReport): readonly Finding[] {
  if (schemaVersion === undefined) return [];
  const facts = { version: schemaVersion, supported: supportedVersion, shape: shape ?? null };
  const found = { section: "store", name: "schema", facts } as const;
  const text = `version ${schemaVersion} of ${supportedVersion}, messages of shape ${shape ?? "unknown"}`;
  if (schemaVersion > supportedVersion)
    return [{ ...found, level: "problem", text, fix: "use the later release that wrote it" }];
  if (schemaVersion >= supportedVersion || problem !== undefined) return [{ ...found, level: "ok", text }];
  const pids = openers.filter(({ isAlive }) => isAlive === true).map(({ pid }) => pid);
  if (pids.length === 0)
    return [{ ...found, level: "ok", text: `${text}; the next run brings it up to date` }];
  return [
    {
      ...found,
      level: "problem",
      text: `${text}; no run of this release begins while an earlier one has it open`,
      fix: `end process ${pids.join(", ")}; the next run brings it up to date`,
    },
  ];
}

function checkOpeners({ openers }: StoreFileReport): readonly Finding[] {
  if (openers.length === 0) return [ok("processes", "no process has it open", { open: [] })];
  const facts = {
    open: openers.map(({ pid, hostId, isHere, isAlive, openedAt }) => ({
      pid,
      host: hostId,
      here: isHere,
      alive: isAlive ?? null,
      opened_at: new Date(openedAt).toISOString(),
    })),
  };
  const found = { section: "store", name: "processes", facts } as const;
  const text = openers.map(inWords).join(", ");
  if (openers.every(({ isHere }) => isHere)) return [{ ...found, level: "ok", text }];
  return [
    {
      ...found,
      level: "problem",
      text: `open on, or not closed by, another machine or before a restart: ${text}`,
      fix: "end it there; one machine may use the store at a time. After a restart of this machine the next run clears it",
    },
  ];
}

function inWords({ pid, hostId, isHere, isAlive }: StoreOpener): string {
  if (!isHere) return `process ${pid} of machine ${hostId}`;
  return `process ${pid}${isAlive === false ? " (gone; the next run clears its mark)" : ""}`;
}

function checkContents({ contents }: StoreFileReport): readonly Finding[] {
  if (contents === undefined) return [];
  const { sessions, messages, blobs, blobBytes, waitingEvents, unseatedForks, generation } = contents;
  const { ready, archived, quarantined, pending, tombstone } = sessions;
  const facts = {
    sessions,
    messages,
    blobs,
    blob_bytes: blobBytes,
    waiting_events: waitingEvents,
    unseated_forks: unseatedForks,
    redactions: generation,
  };
  const living = ready + archived + quarantined;
  const text = `${living} sessions (${tombstone} deleted), ${messages} messages, ${blobs} attachments of ${blobBytes} bytes`;
  return [
    ok("contents", text, facts),
    ...(unseatedForks === 0
      ? []
      : [
          {
            ...ok("forks", `${unseatedForks} committed and not seated (${pending} sessions pending)`),
            level: "warning" as const,
            fix: "the next run seats them; or basis fork --recover ID, with the ids from basis sessions list",
          },
        ]),
    ...(waitingEvents < MANY_EVENTS
      ? []
      : [
          {
            ...ok("events", `${waitingEvents} events wait for a consumer`),
            level: "warning" as const,
            fix: "basis sessions prune takes out those about forks",
          },
        ]),
  ];
}
