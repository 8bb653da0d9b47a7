import type { ForkMemberOptions, ForkMemberSpec, ForkTarget } from "@mobkit/fork";
import { z } from "zod";
import type { ModelMessage } from "../../providers/model.ts";
import { defineMethod, type RpcCaller, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { wireForkResult, wireForkStatus } from "../wire-fork.ts";
import { limit, word } from "./parameters.ts";

const names = z.array(z.string()).optional();

/** Types alone are read here. What may stand in a field is the fork's to refuse, in its own words and kinds. */
const fork = z.strictObject({
  source_member_id: z.string(),
  agent_identity: z.string(),
  role: z.string(),
  at: z
    .int()
    .or(z.literal("settled"))
    .or(z.strictObject({ message_id: z.string() }))
    .or(z.strictObject({ turn_id: z.string() }))
    .optional(),
  expect: z.strictObject({ digest: z.string().optional(), revision: z.int().optional() }).optional(),
  while_running: z.enum(["refuse", "settled"]).optional(),
  tool_access_policy: z.strictObject({ allow: names, deny: names }).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  initial_message: z.string().optional(),
  model: z.string().optional(),
  idempotency_key: z.string().optional(),
  /** Refused by the fork, which says why. */
  launch_mode: z.json().optional(),
  placement: z.json().optional(),
});

const target = { operation_id: word.optional(), session_id: word.optional() };
const resume = z.strictObject({
  ...target,
  agent_identity: z.string().optional(),
  role: z.string().optional(),
  model: z.string().optional(),
});

/** `mobkit/fork_member` and what finishes, ends and lists its forks. */
export function forkMethods({ runtime }: Pick<ServerHost, "runtime">): readonly RpcMethod[] {
  const { forks } = runtime;
  return [
    defineMethod({
      name: "mobkit/fork_member",
      params: fork,
      async call(given, caller) {
        const options = { ...optionsOf(given), ...identityOf(caller), signal: caller.signal };
        return wireForkResult(await runtime.fork(given.source_member_id, specOf(given), options));
      },
    }),
    defineMethod({
      name: "mobkit/resume_fork",
      params: resume,
      async call({ agent_identity: identity, role, model, ...named }, caller) {
        const { operationId } = await forks.forkStatus(targetOf(named));
        const changes = { ...present({ identity, role, model }), ...identityOf(caller) };
        return wireForkResult(await runtime.recover(operationId, { ...changes, signal: caller.signal }));
      },
    }),
    defineMethod({
      name: "mobkit/abandon_fork",
      params: z.strictObject(target),
      call: async (named, { signal }) => wireForkStatus(await forks.abandonFork(targetOf(named), { signal })),
    }),
    defineMethod({
      name: "mobkit/fork_status",
      params: z.strictObject(target),
      call: async (named, { signal }) => wireForkStatus(await forks.forkStatus(targetOf(named), { signal })),
    }),
    defineMethod({
      name: "mobkit/list_forks",
      params: z.strictObject({
        state: z.enum(["committed", "seated", "abandoned"]).optional(),
        after: word.optional(),
        limit,
      }),
      async call({ state, after, limit: most }, { signal }) {
        const page = await forks.listForks({ ...present({ state, after }), limit: most, signal });
        return { forks: page.items.map(wireForkStatus), next: page.next };
      },
    }),
  ];
}

function specOf(given: z.output<typeof fork>): ForkMemberSpec<ModelMessage> {
  const { agent_identity: identity, role, labels, model, placement } = given;
  const more = {
    labels,
    model,
    placement,
    initialMessage: given.initial_message,
    launchMode: given.launch_mode,
    toolAccessPolicy: given.tool_access_policy && present(given.tool_access_policy),
  };
  return { identity, role, ...present(more) } as ForkMemberSpec<ModelMessage>;
}

function optionsOf(given: z.output<typeof fork>): ForkMemberOptions {
  const { expect, while_running: whileRunning, idempotency_key: idempotencyKey } = given;
  return present({
    at: pointOf(given.at),
    expect: expect && present(expect),
    whileRunning,
    idempotencyKey,
  }) as ForkMemberOptions;
}

function pointOf(at: z.output<typeof fork>["at"]): ForkMemberOptions["at"] {
  if (typeof at !== "object") return at;
  return "message_id" in at ? { messageId: at.message_id } : { turnId: at.turn_id };
}

/** The request's own identity context. */
function identityOf({ identityAuthority }: RpcCaller): Pick<ForkMemberOptions, "identityAuthority"> {
  return identityAuthority === undefined ? {} : { identityAuthority };
}

/** Exactly one id is the fork's to ask for. */
function targetOf(named: {
  readonly operation_id?: string | undefined;
  readonly session_id?: string | undefined;
}) {
  const { operation_id: operationId, session_id: sessionId } = named;
  return present({ operationId, sessionId }) as ForkTarget;
}

/** The fields that are there. */
function present<T extends object>(fields: T): Partial<{ [Name in keyof T]: Exclude<T[Name], undefined> }> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
