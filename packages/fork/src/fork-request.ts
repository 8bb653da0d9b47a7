import { digestJson, type JsonValue } from "@basis/core";
import { decodeAlias, isGeneratedNamespace, ROSTER_MARKER } from "./alias.ts";
import { ForkError, type InvalidRequestReason } from "./fork-error.ts";
import type { ForkPoint } from "@mobkit/session";
import type { ForkExpectation, PointOptions } from "./fork-point.ts";
import type { IdentityAuthority } from "./identity-authority.ts";
import { checkFields, isName, OPTION_FIELDS, SPEC_FIELDS } from "./request-fields.ts";
import type { ToolAccessPolicy } from "./tool-access.ts";

/** Label keys that the runtime writes; a request that carries one is refused. */
export const RESERVED_LABEL_KEYS: readonly string[] = Object.freeze([
  "agent_identity",
  "agent_runtime_id",
  "fork_operation_id",
  "fork_source_session_id",
]);

/** Beginnings of member names that belong to flows; no fork may take one. */
export const FLOW_NAME_PREFIXES: readonly string[] = Object.freeze(["__flow", "flow:"]);

/** The member that a fork makes. */
export interface ForkMemberSpec<M = JsonValue> {
  /** The child's public alias. */
  readonly identity: string;
  readonly role: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Always `fresh`: a durable fork sets the child's launch itself. Default `fresh`. */
  readonly launchMode?: "fresh";
  /** Delivered to the child once, with its seat. Text, or a message in the store's own format. */
  readonly initialMessage?: string | M;
  /** `provider/id`; absent keeps the source's. */
  readonly model?: string;
  /** Narrows the source's policy; absent keeps it. */
  readonly toolAccessPolicy?: ToolAccessPolicy;
}

/** How to fork; every option may be left out. */
export interface ForkMemberOptions {
  /** Where the child's history ends. Default: the source's exact committed end at commit time. */
  readonly at?: ForkPoint;
  /** Refuses with `fork_boundary` `revision_changed` when the source is not as expected. */
  readonly expect?: ForkExpectation;
  /** Allows a child without history. Default false. */
  readonly allowEmpty?: boolean;
  /** `settled` forks a running source at its last settled boundary. Default `refuse`. */
  readonly whileRunning?: "refuse" | "settled";
  /** The same key and request give the same child; 1 to 256 characters. */
  readonly idempotencyKey?: string;
  /** Stands before the installed one. */
  readonly identityAuthority?: IdentityAuthority;
  /** Gives up waiting, and everything else before the commit; from the commit on the fork runs to its end. */
  readonly signal?: AbortSignal;
  /** Most milliseconds to wait; after the commit it ends the provisioning, which can then be resumed. No default. */
  readonly deadlineMs?: number;
}

/** A request that passed every static check: names decoded, nothing unknown, frozen. */
export interface ForkRequest extends PointOptions {
  readonly source: string;
  readonly child: string;
  readonly role: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly initialMessage?: JsonValue;
  readonly model?: string;
  readonly toolAccessPolicy?: ToolAccessPolicy;
}

/**
 * Checks what a caller sent, without IO, and reads it.
 *
 * @throws ForkError `invalid_request` naming the field.
 */
export function readForkRequest<M>(
  source: string,
  spec: ForkMemberSpec<M>,
  options: ForkMemberOptions = {},
): ForkRequest {
  checkSpec(spec);
  checkFields("options", options, OPTION_FIELDS);
  return deepFreeze({
    source: readSource(source),
    child: readChildName(spec.identity),
    role: readRole(spec.role),
    labels: { ...spec.labels },
    ...present("initialMessage", copyOf(spec.initialMessage) as JsonValue | undefined),
    ...present("model", spec.model),
    ...present("toolAccessPolicy", copyOf(spec.toolAccessPolicy)),
    ...present("at", copyOf(options.at)),
    ...present("expect", copyOf(options.expect)),
    allowEmpty: options.allowEmpty ?? false,
    whileRunning: options.whileRunning ?? "refuse",
  });
}

/** What an idempotency key stands for: the request without its waiting options. */
export function digestForkRequest(request: ForkRequest): string {
  return digestJson(request);
}

/**
 * Checks a child's name as far as the name alone tells, and gives it trimmed.
 *
 * @throws ForkError `invalid_request`.
 */
export function readChildName(identity: unknown): string {
  if (!isName(identity))
    refuse(
      "wrong_type",
      "spec.identity",
      "spec.identity must be a string of at most 512 whole characters, none of them NUL",
    );
  const child = identity.trim();
  if (child === "") refuse("blank_child", "spec.identity", "the fork's child identity must not be blank");
  if (child.startsWith(ROSTER_MARKER)) {
    const what = isGeneratedNamespace(decodeAlias(child)) ? "a generated alias's roster id" : "a roster id";
    refuse(
      "encoded_name",
      "spec.identity",
      `child identity ${quote(child)} is ${what}: give the public alias`,
    );
  }
  if (isGeneratedNamespace(child))
    refuse(
      "generated_name",
      "spec.identity",
      `child identity ${quote(child)} lies in the rt: namespace of generated aliases`,
    );
  if (FLOW_NAME_PREFIXES.some((prefix) => child.startsWith(prefix)))
    refuse("flow_name", "spec.identity", `child identity ${quote(child)} is reserved for flows`);
  return child;
}

/**
 * Checks a role's name.
 *
 * @throws ForkError `invalid_request`.
 */
export function readRole(role: unknown): string {
  if (!isName(role))
    refuse(
      "wrong_type",
      "spec.role",
      "spec.role must be a string of at most 512 whole characters, none of them NUL",
    );
  if (role.trim() === "") refuse("blank_role", "spec.role", "the fork's role must not be blank");
  return role.trim();
}

function readSource(source: unknown): string {
  if (!isName(source))
    refuse(
      "wrong_type",
      "source",
      "the fork's source must be a string of at most 512 whole characters, none of them NUL",
    );
  const alias = decodeAlias(source.trim()).trim();
  if (alias === "") refuse("blank_source", "source", "the fork's source member must not be blank");
  return alias;
}

function checkSpec(spec: ForkMemberSpec<unknown>): void {
  if (typeof spec === "object" && spec !== null) {
    if (Object.hasOwn(spec, "placement"))
      refuse(
        "placement",
        "spec.placement",
        "a durable fork is seated where its source's store is: leave out placement",
      );
    const mode: unknown = spec.launchMode;
    if (mode !== undefined && mode !== "fresh")
      refuse(
        "launch_mode",
        "spec.launchMode",
        "a durable fork sets the child's launch itself: leave launchMode at `fresh` (`fork` mode is the prompt helper, which copies no transcript)",
      );
  }
  checkFields("spec", spec, SPEC_FIELDS);
  for (const key of Object.keys(spec.labels ?? {})) {
    if (RESERVED_LABEL_KEYS.includes(key))
      refuse("reserved_label", `spec.labels.${key}`, `label ${quote(key)} is written by the runtime alone`);
  }
}

function refuse(reason: InvalidRequestReason, field: string, message: string): never {
  throw new ForkError("invalid_request", message, { details: { reason, field } });
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value });
}

/** A private copy of plain data, so that the caller's later changes do not reach it. */
function copyOf<Value>(value: Value): Value {
  return typeof value === "object" ? structuredClone(value) : value;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const held of Object.values(value)) deepFreeze(held);
  return Object.freeze(value);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
