import { digestJson } from "@basis/core";
import { inspectTrust, revokeTrust, trustWorkspace, type TrustState } from "@basis/hooks/trust";
import type { AskedTools } from "./workspace-tools.ts";
import type { Environment } from "../config/data-dir.ts";
import { grantChanges, inWords, type Grant } from "../config/grant.ts";
import { readGrants, writeGrants } from "../config/grants-file.ts";
import { recordGrants, refuseUntrustable, type AskedGrants } from "../config/workspace-grants.ts";

/** Which workspace, and where trust in it is recorded. */
export interface TrustPlace {
  readonly workspace: string;
  readonly trustFile: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** One thing that a workspace asks trust for. */
export interface TrustedThing {
  /** `hook 'keep-secrets'`, `agent 'triage'` … */
  readonly what: string;
  readonly state: TrustState;
  /** What changed. */
  readonly why: readonly string[];
  /** Why its code is not fixed by its pins. */
  readonly unpinned: readonly string[];
}

/** What a workspace's files ask for, and what the user has said of it. */
export interface TrustReport {
  readonly workspace: string;
  /** `trusted` when all of it is, `modified` when any of it is, or when something is gone. */
  readonly state: TrustState | "nothing to trust";
  /** Over everything that a yes would record. */
  readonly digest: string;
  readonly things: readonly TrustedThing[];
  /** Over the hooks alone; they are recorded only as they were shown. */
  readonly hooksDigest: string;
}

/** How a workspace's hooks, servers, tools and agents stand. @throws HookError of hooks.json and of the records. */
export async function trustReport(place: TrustPlace, asked: AskedTools): Promise<TrustReport> {
  const { workspace } = place;
  const hooks = await inspectTrust(place);
  const given = readGrants(place) ?? [];
  const things: readonly TrustedThing[] = [
    ...hooks.entries.map(({ name, state, why, unpinned }) => ({
      what: `hook '${name}'`,
      state,
      why: why === undefined ? [] : [why],
      unpinned,
    })),
    ...asked.files.flatMap((file) => grantThings(file, given)),
  ];
  const grants = asked.files.flatMap((file) => file.asked.map(({ grant }) => grant.digest));
  const digest = digestJson({ hooks: hooks.digest, grants });
  return { workspace, state: stateOf(things), digest, things, hooksDigest: hooks.digest };
}

function grantThings({ kind, asked }: AskedGrants, every: readonly Grant[]): readonly TrustedThing[] {
  const given = every.filter((grant) => grant.kind === kind);
  const there = asked.map(({ grant }): TrustedThing => {
    const was = given.filter(({ name }) => name === grant.name);
    const why = was.length === 0 ? [] : grantChanges(was, [grant]);
    const state = was.length === 0 ? "untrusted" : why.length === 0 ? "trusted" : "modified";
    return { what: inWords(grant), state, why, unpinned: grant.unpinned };
  });
  const gone = given.filter(({ name }) => !asked.some(({ grant }) => grant.name === name));
  return [
    ...there,
    ...gone.map((grant) => ({
      what: inWords(grant),
      state: "modified" as const,
      why: ["it is gone"],
      unpinned: [],
    })),
  ];
}

function stateOf(things: readonly TrustedThing[]): TrustReport["state"] {
  if (things.length === 0) return "nothing to trust";
  if (things.some(({ state }) => state === "modified")) return "modified";
  return things.every(({ state }) => state === "trusted") ? "trusted" : "untrusted";
}

/** Records that the user trusts what the report showed. @throws HookError `unpinned_code`, or when a hook changed meanwhile. */
export async function recordTrust(
  place: TrustPlace,
  {
    report,
    asked,
    allowUnpinned,
  }: { readonly report: TrustReport; readonly asked: AskedTools; readonly allowUnpinned: boolean },
): Promise<void> {
  refuseUntrustable(asked.files, { workspace: place.workspace, allowUnpinned });
  await trustWorkspace({ ...place, digest: report.hooksDigest, allowUnpinned });
  recordGrants(asked.files, place);
}

/** Forgets the trust in a workspace; false when there was none. */
export async function forgetTrust(place: TrustPlace): Promise<boolean> {
  const granted = readGrants(place) !== undefined;
  const hooked = await revokeTrust(place);
  writeGrants(place, []);
  return hooked || granted;
}
