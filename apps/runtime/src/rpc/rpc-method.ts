import type { JsonObject } from "@basis/core";
import type { IdentityAuthority } from "@mobkit/fork";
import type { z } from "zod";
import type { EventFeed } from "./event-feed.ts";

/** Who calls, over one connection. */
export interface RpcCaller {
  /** Aborts when the server ends or the connection is gone. */
  readonly signal: AbortSignal;
  /** The token of `basis approvals token`, where a person held it out beside the message. */
  readonly grant?: string | undefined;
  /** Where events that the caller follows are sent. */
  readonly feed: Pick<EventFeed, "follow" | "unfollow">;
  /** The registry of identities that the caller's forks are checked against; absent: the host's own, if it has one. */
  readonly identityAuthority?: IdentityAuthority | undefined;
}

/** A method as it is written down. */
export interface MethodDefinition<Params extends z.ZodType> {
  readonly name: string;
  /** The parameters, strictly: an unknown field is refused. */
  readonly params: Params;
  /** True for one that is over at once and ends other work: it is let in when the server is full. */
  readonly urgent?: boolean;
  /** Answers JSON. */
  call(params: z.output<Params>, caller: RpcCaller): unknown;
}

/** A method as the dispatcher knows it. */
export type RpcMethod = Omit<MethodDefinition<z.ZodType>, "call" | "params"> & {
  readonly params: ParameterCheck;
  call(params: never, caller: RpcCaller): unknown;
};

/** What reads the parameters of a method, as far as a dispatcher knows it. */
export interface ParameterCheck {
  safeParse(given: JsonObject):
    | { readonly success: true; readonly data: unknown }
    | {
        readonly success: false;
        readonly error: { readonly issues: readonly ParameterIssue[] };
      };
}

/** What is wrong with a parameter. */
export interface ParameterIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Writes a method down; its parameters are typed inside. */
export function defineMethod<const Params extends z.ZodType>(
  definition: MethodDefinition<Params>,
): RpcMethod {
  return definition;
}

/** A method whose parameters and work are loaded when it is first called. */
export interface MethodEntry extends Pick<RpcMethod, "name" | "urgent"> {
  load(): Promise<RpcMethod>;
}
