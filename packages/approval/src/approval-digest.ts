import { canonicalJson, orderedJson, sha256, type JsonValue } from "@basis/core";
import { ApprovalError } from "./approval-error.ts";

/** What an approval is bound to. Everything that decides what will happen belongs in here. */
export interface ApprovalEvidence {
  /** The host's own key of the call, unique in its store; providers repeat their call ids. */
  readonly callKey: string;
  readonly agent: string;
  readonly toolName: string;
  /** The final input: after hooks and validation, exactly as the tool will get it. */
  readonly input: JsonValue;
  /** What the person was shown. */
  readonly preview?: JsonValue | undefined;
  /** The real directory the call works in. */
  readonly cwd?: string | undefined;
  /** A digest of whatever else the host decided for this call; for a delegation the plan's digest. */
  readonly binding?: string | undefined;
  /** Which tool stands behind the name: a digest of its source and definition. */
  readonly toolIdentity?: string | undefined;
  /** Further facts by name, such as digests of files that the call names. */
  readonly evidence?: { readonly [name: string]: string } | undefined;
}

/**
 * The digest that an approval is bound to and that the host derives again just before executing.
 * The same facts give the same digest whatever their key order; any difference gives another.
 *
 * @throws ApprovalError `not_canonical` when a part has no canonical JSON form (NaN, a lone surrogate, a cycle).
 */
export function approvalDigest(evidence: ApprovalEvidence): string {
  const parts = partsOf(evidence);
  try {
    return `sha256:${sha256(orderedJson(parts) ?? canonicalJson(parts))}`;
  } catch (cause) {
    const part = unprintablePart(parts);
    throw new ApprovalError("not_canonical", `the ${part} of the call has no canonical JSON form`, {
      details: { part },
      cause,
    });
  }
}

type Parts = { -readonly [Part in keyof ApprovalEvidence]?: ApprovalEvidence[Part] } & { format?: string };

/** What is bound, in canonical order, so that it is mostly written in one go. */
function partsOf(from: ApprovalEvidence): Parts {
  const parts: Parts = { agent: from.agent };
  if (from.binding !== undefined) parts.binding = from.binding;
  parts.callKey = from.callKey;
  if (from.cwd !== undefined) parts.cwd = from.cwd;
  if (from.evidence !== undefined) parts.evidence = from.evidence;
  parts.format = "basis.approval/1";
  parts.input = from.input;
  if (from.preview !== undefined) parts.preview = from.preview;
  if (from.toolIdentity !== undefined) parts.toolIdentity = from.toolIdentity;
  parts.toolName = from.toolName;
  return parts;
}

function unprintablePart(parts: Readonly<Record<string, unknown>>): string {
  for (const [name, value] of Object.entries(parts)) {
    try {
      canonicalJson({ value });
    } catch {
      return name;
    }
  }
  return "whole";
}
