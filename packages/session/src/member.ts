import type { CallOptions, Page, PageRequest } from "./page.ts";

/** Free text by key. */
export type Labels = Readonly<Record<string, string>>;

/** A name with a session behind it. Frozen. */
export interface MemberRecord {
  /** The public alias. */
  readonly member: string;
  readonly sessionId: string;
  readonly role: string;
  readonly labels: Labels;
  /** Who it is to the outside, as the provisioner named it. */
  readonly agentIdentity: string | null;
  /** The fork that seated it; null for a member that was created. */
  readonly operationId: string | null;
  readonly seatedAt: number;
}

/** Who has a name: a seated member, or a fork that is committed and not yet seated. The latter tells no session. */
export type NameHolder =
  | { readonly holder: "seated"; readonly sessionId: string }
  | { readonly holder: "reserved"; readonly operationId: string };

/** The member registry of a store. A name belongs to one seated member or one reservation at a time. */
export interface MemberRegistry {
  /** The seated member of that name. A reservation is never found here, so it can't be adopted. */
  get(member: string, options?: CallOptions): Promise<MemberRecord | undefined>;
  /** Who has the name, a reservation included. */
  holder(member: string, options?: CallOptions): Promise<NameHolder | undefined>;
  /** Seated members by name, in the order of their UTF-16 code units. */
  list(request?: PageRequest): Promise<Page<MemberRecord>>;
  /**
   * Takes the member off its session and frees the name; the session loses its binding and keeps its transcript.
   * @throws SessionError `unknown_member`.
   */
  retire(member: string, options?: CallOptions): Promise<MemberRecord>;
}
