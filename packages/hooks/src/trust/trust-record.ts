import type { JsonObject } from "@basis/core";

/** A file as it was when it was trusted. */
export interface FilePin {
  /** From the workspace, with `/`; absolute when the file lies outside. */
  readonly path: string;
  /** `sha256:` and the hash of its bytes; null when there was nothing to read. */
  readonly digest: string | null;
}

/** One entry as it was when it was trusted. */
export interface EntryPin {
  readonly name: string;
  /** Over every field but `unpinned`. */
  readonly digest: string;
  /** Every field of the entry, defaults filled in. */
  readonly settings: JsonObject;
  /** What the command's first word stood for: a path outside the workspace, `host` (what runs the host itself), `file` (among `files`), or `none`. */
  readonly program: string;
  /** The script, files among the arguments, and the declared `files`. */
  readonly files: readonly FilePin[];
  /** Why its code is not fixed by these pins, in words; empty when it is. */
  readonly unpinned: readonly string[];
}

/** What a user trusted in one workspace: its entries, in order. */
export interface TrustRecord {
  /** The workspace's real path. */
  readonly workspace: string;
  readonly entries: readonly EntryPin[];
}

/** `untrusted`: nobody has trusted it. `modified`: it was trusted and differs now. */
export type TrustState = "trusted" | "modified" | "untrusted";

/** An entry's state. */
export interface EntryTrust {
  readonly name: string;
  readonly state: TrustState;
  /** What differs; absent for `trusted`. */
  readonly why?: string;
  readonly digest: string;
  /** Why its code cannot be pinned; empty when it is. */
  readonly unpinned: readonly string[];
}

/** A workspace's state: that of the ordered set, and of each entry. */
export interface WorkspaceTrustReport {
  /** The workspace's real path. */
  readonly workspace: string;
  /** Its hooks.json. */
  readonly path: string;
  /** `trusted` as well when there are no hooks and none were trusted. */
  readonly state: TrustState;
  /** Over the digests of the entries, in order. */
  readonly digest: string;
  /** The entries in the file's order, then those that were trusted and are gone. */
  readonly entries: readonly EntryTrust[];
}
