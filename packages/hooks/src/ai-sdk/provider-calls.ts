import { unguarded } from "../binding/tool-guards.ts";

/** A part of a reply, streamed or not. */
interface Part {
  readonly type?: unknown;
  readonly toolName?: unknown;
  readonly providerExecuted?: unknown;
}

/** A middleware for `wrapLanguageModel` of ai 6 and 7. */
export interface ProviderCallsMiddleware {
  readonly specificationVersion: "v3";
  readonly wrapGenerate: <Result extends { readonly content: readonly object[] }>(given: {
    readonly doGenerate: () => PromiseLike<Result>;
  }) => Promise<Result>;
  readonly wrapStream: <Chunk, Result extends { stream: ReadableStream<Chunk> }>(given: {
    readonly doStream: () => PromiseLike<Result>;
  }) => Promise<Result>;
}

/**
 * A middleware for `wrapLanguageModel` that fails the turn once the provider has run a tool by itself (S15): `providerOptions`
 * bring such tools where no toolset shows them. Tools named in `outside` may.
 */
export function refuseProviderCalls({
  outside = [],
}: { readonly outside?: readonly string[] | undefined } = {}): ProviderCallsMiddleware {
  const refuse = (part: Part): void => {
    if (part.providerExecuted !== true || outside.includes(String(part.toolName))) return;
    throw unguarded(String(part.toolName), "was run by the provider, where no guard could stop it");
  };
  return {
    specificationVersion: "v3",
    wrapGenerate: async ({ doGenerate }) => {
      const result = await doGenerate();
      result.content.forEach(refuse);
      return result;
    },
    wrapStream: async ({ doStream }) => {
      const result = await doStream();
      const transform = (part: unknown, controller: TransformStreamDefaultController): void => {
        refuse(Object(part) as Part);
        controller.enqueue(part);
      };
      return { ...result, stream: result.stream.pipeThrough(new TransformStream({ transform })) };
    },
  };
}
