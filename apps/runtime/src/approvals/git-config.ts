import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { RuleSubject } from "@basis/approval";
import { isInside } from "../tools/workspace-path.ts";
import type { Environment } from "../config/data-dir.ts";

const TIMEOUT_MS = 5000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Settings of a repository that start nothing, whatever their value. Everything else counts as if it did. */
const harmless: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|compression|bigfilethreshold|untrackedcache|splitindex|sparsecheckout|sparsecheckoutcone|commitgraph|multipackindex|preloadindex|worktree)$/,
  /^extensions\.(objectformat|refstorage|worktreeconfig|partialclone|compatobjectformat)$/,
  /^remote\..+\.(fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skipdefaultupdate)$/,
  /^branch\.(autosetuprebase|autosetupmerge|sort|.+\.(merge|rebase|description))$/,
  /^(user\.(name|email|useconfigonly)|init\.defaultbranch|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel)|rebase\.(autosquash|autostash|updaterefs)|merge\.(ff|conflictstyle|renames)|status\..+|color\..+|column\..+|log\.(date|decorate|abbrevcommit)|diff\.(algorithm|renames|colormoved|mnemonicprefix|noprefix)|gc\.(auto|autodetach|pruneexpire)|index\.(version|threads)|pack\.(threads|window|depth)|feature\.(manyfiles|experimental)|advice\..+)$/,
];
/** Addresses that git fetches from without starting anything but ssh. */
const PLAIN_URL = /^(?:https?:\/\/|ssh:\/\/(?!-)|git@[\w.-]+:)(?!.*::)/;
const URL_KEY = /^remote\..+\.(?:url|pushurl)$/;
/** Names a remote; git takes a name that no remote has for a directory, and runs what the repository there names. */
const REMOTE_KEY = /^(?:branch\..+\.(?:remote|pushremote)|remote\.pushdefault)$/;

/** Where a setting comes from. */
interface Setting {
  readonly scope: string;
  readonly origin: string;
  /** In small letters. */
  readonly key: string;
  /** Of a key `remote.NAME.url`: the name as it is spelled. */
  readonly remote?: string | undefined;
  readonly value: string;
}

/**
 * A predicate for command rules: whether git, started for a call, could start programs that the repository names, by
 * its settings (`core.fsmonitor`, pagers, aliases, filters, drivers, includes …), hooks or submodules. Git itself is
 * asked what it would read. What the user's own settings name is the user's business unless it lies in the workspace.
 * Whatever cannot be found out counts as yes.
 */
export function gitMayRun(environment: (root: string) => Environment): (call: RuleSubject) => boolean {
  return ({ workspace, cwd = workspace }) => {
    if (workspace === undefined || cwd === undefined) return true;
    const root = realpathSync(workspace);
    const ask = asker(cwd, environment(root));
    return settingsMayRun(ask, root) || hooksMayRun(ask, cwd) || submodulesMayRun(ask, cwd);
  };
}

type Ask = (...args: readonly string[]) => string | undefined;

function asker(cwd: string, env: Environment): Ask {
  return (...args) => {
    const { status, stdout } = spawnSync("git", ["--no-pager", ...args], {
      cwd,
      env: { ...env },
      encoding: "utf8",
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return status === 0 ? stdout : undefined;
  };
}

function settingsMayRun(ask: Ask, root: string): boolean {
  const listed = ask("config", "--list", "--includes", "--show-scope", "--show-origin", "-z");
  const settings = listed === undefined ? undefined : settingsOf(listed);
  if (settings === undefined) return true;
  const remotes = new Set(settings.flatMap(({ remote }) => remote ?? []));
  return settings.some((setting) => mayRun(setting, { root, remotes }));
}

/** Three fields a setting, each ended by a NUL; the last is the key, a line feed and the value. */
function settingsOf(listed: string): readonly Setting[] | undefined {
  const fields = listed.split("\0");
  if (fields.pop() !== "" || fields.length % 3 !== 0) return undefined;
  const settings: Setting[] = [];
  for (let at = 0; at < fields.length; at += 3) {
    const [key = "", ...value] = fields[at + 2]!.split("\n");
    settings.push({
      scope: fields[at]!,
      origin: fields[at + 1]!,
      key: key.toLowerCase(),
      remote: /^remote\.(.+)\.url$/s.exec(key)?.[1],
      value: value.join("\n"),
    });
  }
  return settings;
}

interface Place {
  readonly root: string;
  readonly remotes: ReadonlySet<string>;
}

function mayRun({ scope, origin, key, value }: Setting, { root, remotes }: Place): boolean {
  if (isUsersOwn(scope, origin, root)) return namesTheWorkspace(value, root);
  if (REMOTE_KEY.test(key)) return value !== "." && !remotes.has(value);
  if (URL_KEY.test(key)) return !PLAIN_URL.test(value);
  return !harmless.some((pattern) => pattern.test(key));
}

function isUsersOwn(scope: string, origin: string, root: string): boolean {
  if (scope !== "system" && scope !== "global") return false;
  const path = /^file:(.*)$/s.exec(origin)?.[1];
  return path !== undefined && isAbsolute(path) && !isInside(root, path);
}

/** A value of the user's that leads here: a relative path, or one into the workspace. */
function namesTheWorkspace(value: string, root: string): boolean {
  return value.includes(root) || /(?:^|[\s"'!=])\.{1,2}\/|^\.githooks/.test(value);
}

/** Any hook that is there and no sample, wherever git looks for them. */
function hooksMayRun(ask: Ask, cwd: string): boolean {
  const named = ask("rev-parse", "--git-path", "hooks")?.replace(/\n$/, "");
  if (named === undefined) return true;
  const directory = resolve(cwd, named);
  return existsSync(directory) && readdirSync(directory).some((name) => !name.endsWith(".sample"));
}

/** Git looks into repositories below with their own settings. */
function submodulesMayRun(ask: Ask, cwd: string): boolean {
  const top = ask("rev-parse", "--show-toplevel")?.replace(/\n$/, "");
  if (top === undefined || existsSync(join(resolve(cwd, top), ".gitmodules"))) return true;
  const staged = ask("-C", top, "ls-files", "--stage", "-z");
  return staged === undefined || /(?:^|\0)160000 /.test(staged);
}
