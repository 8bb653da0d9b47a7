import type { Tracing } from "./run-trace.ts";
import type { TraceOptions } from "./trace-options.ts";

/** Where OpenTelemetry's API, in any copy of its major version 1, keeps what was registered with it. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/**
 * Tracing, once a tracer is registered with OpenTelemetry's API in this process; until then, or where the package
 * `@opentelemetry/api` is not installed beside the host, nothing of it is loaded. Ask before each run: a registration may
 * come late.
 */
export function lazyTracing(options: TraceOptions): () => Promise<Tracing | undefined> {
  let opened: Promise<Tracing | undefined> | undefined;
  return () => {
    if (opened !== undefined) return opened;
    const registered = (globalThis as Record<symbol, { readonly trace?: unknown } | undefined>)[REGISTERED];
    if (registered?.trace === undefined) return NONE;
    opened = open(options);
    return opened;
  };
}

const NONE: Promise<undefined> = Promise.resolve(undefined);

async function open(options: TraceOptions): Promise<Tracing | undefined> {
  const [api, { OtelTracing }] = await Promise.all([
    import("@opentelemetry/api").catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
      throw error;
    }),
    import("./otel-tracing.ts"),
  ]);
  return api === undefined ? undefined : new OtelTracing(api, options);
}
