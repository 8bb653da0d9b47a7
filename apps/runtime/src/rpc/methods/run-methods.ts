import { z } from "zod";
import { refuseAgent } from "./agent-parameter.ts";
import { ImageError, imageOfBase64, MAX_IMAGES, type Image } from "../../images/image.ts";
import { withImages } from "../../images/prompt.ts";
import { findSession } from "../../store/find-session.ts";
import { RpcError } from "../rpc-error.ts";
import { defineMethod, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import type { TurnNames } from "../turn-end.ts";
import { output, outputSpec, refuseOtherEnd } from "./output-parameter.ts";
import { count, word } from "./parameters.ts";

/** The longest delay that a timer can hold. */
const MAX_MS = 2_147_483_647;

const image = z.strictObject({
  data: z.string().min(1).describe("Its bytes as base64."),
  name: word.optional(),
});

/** What starts a turn: a prompt in a new session, a prompt in one that is there, or none where one waits. */
export const turnParams = z
  .strictObject({
    prompt: z.string().min(1).optional().describe("What to do. Left out: go on where the session waits."),
    images: z
      .array(image)
      .max(MAX_IMAGES)
      .optional()
      .describe("Shown to the model with the prompt: PNG, JPEG, GIF or WebP."),
    session: word.optional().describe("The session to go on in, by id or member. Default: a new one."),
    agent: word.optional().describe("Begin the session as this agent of the folder's .basis/agents."),
    member: word.optional().describe("The name of a new session's member."),
    deadline_ms: z.int().min(1).max(MAX_MS).optional().describe("Longest time; what was done is kept."),
    tool_budget: count.optional().describe("Most tool calls of each agent."),
    token_budget: z.int().min(1).optional().describe("Most tokens, children included."),
    output: output.optional().describe("Answer with a JSON value that fits this schema, in place of a text."),
  })
  .refine(({ session, member }) => session === undefined || member === undefined, {
    path: ["member"],
    message: "names a new session's member: leave it out beside session",
  })
  .refine(({ session, prompt }) => session !== undefined || prompt !== undefined, {
    path: ["prompt"],
    message: "is needed in a new session",
  })
  .refine(({ images, prompt }) => images === undefined || prompt !== undefined, {
    path: ["images"],
    message: "are shown with a prompt: say one",
  });

/** What turns are started with. */
export type TurnHost = Pick<ServerHost, "runtime" | "turns" | "workspace">;

/** Starts a turn. @throws RpcError, StartError `session`; as `ServerTurns.start`. */
export async function startTurn(
  { runtime, turns, workspace }: TurnHost,
  { session, agent, member, prompt, images, ...given }: z.output<typeof turnParams>,
): Promise<TurnNames> {
  const bounds = {
    deadlineMs: given.deadline_ms,
    toolBudget: given.tool_budget,
    tokenBudget: given.token_budget,
  };
  const found = session === undefined ? undefined : await findSession(runtime.state.store, session);
  if (found !== undefined && found.state !== "ready")
    throw new RpcError("unavailable", `session ${found.id} is ${found.state} and takes no turn`, {
      kind: "session_unavailable",
      retry: "after_fix",
      state: found.state,
    });
  const { facts } = await workspace.current();
  await refuseAgent(runtime.state.store, facts.agents, { agent, session: found });
  const spec = given.output && (await outputSpec(given.output));
  if (found !== undefined && prompt === undefined) await refuseOtherEnd(runtime.state.store, found, spec);
  const said = prompt === undefined ? undefined : withImages(prompt, readImages(images));
  return turns.start({ session: found?.id, agent, member, prompt: said, bounds, output: spec });
}

function readImages(images: z.output<typeof turnParams>["images"] = []): readonly Image[] {
  return images.map(({ data, name }, index) => {
    try {
      return imageOfBase64(data, name);
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      const path = `images.${index}`;
      throw new RpcError("invalid_params", `${path}: ${error.message}`, { kind: error.code, path });
    }
  });
}

const named = z.strictObject({ run: word });

/** `runs/start`, `runs/wait`, `runs/stop`, `runs/cancel`, `runs/list`. */
export function runMethods(host: ServerHost): readonly RpcMethod[] {
  const { turns } = host;
  return [
    defineMethod({
      name: "runs/start",
      params: turnParams,
      call: (given) => startTurn(host, given),
    }),
    defineMethod({
      name: "runs/wait",
      params: named,
      call: ({ run }, { signal }) => turns.wait(run, signal),
    }),
    defineMethod({
      name: "runs/stop",
      params: named,
      urgent: true,
      call: async ({ run }) => ({ run, was_running: await turns.stop(run) }),
    }),
    defineMethod({
      name: "runs/cancel",
      params: named,
      urgent: true,
      call: async ({ run }) => ({ run, was_running: await turns.cancel(run) }),
    }),
    defineMethod({
      name: "runs/list",
      params: z.strictObject({}),
      call: async () => ({ runs: await turns.list() }),
    }),
  ];
}
