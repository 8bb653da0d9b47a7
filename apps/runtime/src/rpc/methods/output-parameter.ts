import { isBasisError, isJsonObject, type JsonSchema } from "@basis/core";
import { defineOutput, type OutputSpec } from "@basis/typed-output";
import type { SessionRecord } from "@mobkit/session";
import { z } from "zod";
import { readWaitingOutput } from "../../agent/turn/kept-account.ts";
import { outputSchema } from "../../host/output-schema.ts";
import type { HostStore } from "../../store/host-store.ts";
import { RpcError } from "../rpc-error.ts";

const json = z.json();

/** Told to models as an object: a definition that refers to itself, as that of any JSON does, is refused by some of them. */
const schema = z
  .unknown()
  .refine(
    (value) => (isJsonObject(value) || typeof value === "boolean") && json.safeParse(value).success,
    "must be a JSON Schema",
  )
  .meta({ type: "object", description: "The JSON Schema that the answer has to fit." });

/** The value that a turn answers with. */
export const output = z.strictObject({
  schema,
  /** What the model reads of it. */
  name: z
    .string()
    .regex(/^[A-Za-z]\w{0,31}$/, "must be a word of at most 32 letters, digits and underscores")
    .default("answer"),
  description: z.string().min(1).max(4000).default("The answer, as its schema describes it."),
  with_tools: z.boolean().default(false),
});

/** The spec of an output, checked and compiled. @throws RpcError `invalid_params` with where in the schema. */
export async function outputSpec(given: z.output<typeof output>): Promise<OutputSpec<unknown>> {
  const { name, description, with_tools: withTools } = given;
  try {
    const spec = defineOutput<unknown>({ name, description, schema: given.schema as JsonSchema });
    await spec.compile();
    return withTools ? spec.withTools() : spec;
  } catch (error) {
    if (!isBasisError(error, "OutputError")) throw error;
    const { pointer = "" } = error.details as { readonly pointer?: string };
    const issues = [{ path: `output.schema${pointer.replaceAll("/", ".")}`, message: error.message }];
    throw new RpcError("invalid_params", error.message, { kind: error.code, issues });
  }
}

/** A turn that waits goes on to the end that it began for: prose, or a value of the same schema. @throws RpcError */
export async function refuseOtherEnd(
  store: HostStore,
  session: SessionRecord,
  spec: OutputSpec<unknown> | undefined,
): Promise<void> {
  if (session.pendingApprovals === 0) return;
  const waiting = await readWaitingOutput(store, session.id);
  if (waiting?.schema === (spec && outputSchema(spec))) return;
  const message =
    waiting === undefined
      ? "the turn that waits answers in prose: leave out output"
      : "the turn that waits answers with a value: go on with the same output";
  throw new RpcError("invalid_params", message, {
    kind: "other_output",
    issues: [{ path: "output", message }],
  });
}
