/** What is used of `@hono/node-server`, whose own types need those of a browser. */
import type { IncomingMessage, ServerResponse } from "node:http";

export interface HttpBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export function getRequestListener(
  answer: (request: Request, bindings: HttpBindings) => Response | Promise<Response>,
  options: { readonly overrideGlobalObjects: boolean },
): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
