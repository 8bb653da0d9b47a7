import { z } from "zod";
import { version } from "../../version.ts";
import { defineMethod, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { approvalMethods } from "./approval-methods.ts";
import { eventMethods } from "./event-methods.ts";
import { forkHelper } from "./one-shot-member.ts";
import { forkMethods } from "./fork-methods.ts";
import { runMethods } from "./run-methods.ts";
import { sessionMethods } from "./session-methods.ts";

/** Everything that a server can be asked, whatever its transport. */
export function everyMethod(host: ServerHost): readonly RpcMethod[] {
  const methods: RpcMethod[] = [
    ...runMethods(host),
    ...sessionMethods(host),
    ...eventMethods(host),
    ...approvalMethods(host),
    ...forkMethods(host),
    forkHelper(host),
  ];
  const info = defineMethod({
    name: "server/info",
    params: z.strictObject({}),
    call: () => ({
      name: "basis",
      version,
      protocol: 1,
      workspace: host.workspace.root,
      methods: ["server/info", ...methods.map(({ name }) => name)].toSorted(),
    }),
  });
  return [info, ...methods];
}
