import type { Labels, MemberRecord } from "../member.ts";
import type { CallOptions } from "../page.ts";
import { checkLabels, checkName, invalidRequest } from "../request-checks.ts";
import type { SessionRecord } from "../session-record.ts";
import { SessionError } from "../session-error.ts";
import type { SessionStore } from "../store.ts";
import type { BundleSummary } from "./bundle-summary.ts";
import { ImportStage } from "./import-stage.ts";
import { readBundle, type BundleText } from "./read-bundle.ts";

/** The part of a store that an import writes to. */
export type ImportTarget<M> = Pick<SessionStore<M, never>, "shape" | "members" | "blobs" | "transfer">;

/** Who gets the session. A bundle names a member, a role and labels too, but decides none of them. */
export interface ImportRequest extends CallOptions {
  readonly member: string;
  readonly role: string;
  readonly labels?: Labels | undefined;
  /** The bundle that is meant, as `verifyBundle` told it; another one is `invalid_bundle`. */
  readonly bundleDigest?: string | undefined;
}

/** What an import made. */
export interface ImportReport {
  /** Ready, with an id of its own; neither lease nor turn nor waiting work came along. */
  readonly session: SessionRecord;
  readonly member: MemberRecord;
  readonly bundle: BundleSummary;
}

/**
 * Takes a bundle into a store as a session of its own, all of it or nothing: rows are staged under an id that nobody
 * knows, and count once the bundle's end is verified. Message ids, positions, digests and times stay; the session's id is new, and
 * its rows are all in its own log. Leases, approvals, rules, identities and events don't come along.
 *
 * @throws SessionError `invalid_bundle`, `bundle_newer`, `shape_mismatch`, `member_already_exists`, `invalid_request`,
 * `stale_fence` (it paused for over an hour), and what the store throws.
 */
export async function importSession<M>(
  target: ImportTarget<M>,
  lines: BundleText,
  request: ImportRequest,
): Promise<ImportReport> {
  const { transfer, members, shape } = target;
  if (transfer === undefined) throw invalidRequest("store", "can't import sessions");
  await refuseTakenName(members, request);
  const stage = new ImportStage(target.blobs, transfer, request);
  try {
    for await (const step of readBundle(lines, { shape, signal: request.signal })) {
      if (step.type === "end") return await stage.finish(step);
      await stage.take(step);
    }
    throw invalidRequest("lines", "must be a bundle");
  } catch (error) {
    await stage.drop();
    throw error;
  }
}

async function refuseTakenName(
  members: ImportTarget<unknown>["members"],
  request: ImportRequest,
): Promise<void> {
  const member = checkName("member", request.member);
  checkName("role", request.role);
  checkLabels(request.labels);
  const found = await members.holder(member, { signal: request.signal });
  if (found === undefined) return;
  throw new SessionError("member_already_exists", `the name ${member} is ${found.holder}`, {
    details: { member, holder: found.holder },
  });
}
